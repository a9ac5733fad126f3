#include "check.hpp"

int main() {
  for (const check::Test& test : check::tests()) {
    const int before = check::failures;
    test.run();
    if (check::failures > before) std::printf("failed: %s\n", test.name);
  }
  const auto tests = static_cast<int>(check::tests().size());
  std::printf("%d native tests, %d failed checks\n", tests, check::failures);
  return check::failures == 0 && tests > 0 ? 0 : 1;
}
