// A test runner of one file: tests register themselves, a failed check names its place and goes on.
#pragma once

#include <cmath>
#include <cstdio>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*run)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

inline int failures = 0;

inline bool add(const char* name, void (*run)()) {
  tests().push_back({name, run});
  return true;
}

inline void that(bool holds, const char* what, const char* file, int line) {
  if (holds) return;
  ++failures;
  std::printf("%s:%d: does not hold: %s\n", file, line, what);
}

// Whether two numbers agree but for a share of the larger one, or an absolute difference where both are small.
inline bool close(double a, double b, double tolerance = 1e-12) {
  return std::abs(a - b) <= tolerance * std::fmax(1.0, std::fmax(std::abs(a), std::abs(b)));
}

}  // namespace check

#define TEST(name)                                                                   \
  static void name();                                                                \
  [[maybe_unused]] static const bool name##_is_registered = check::add(#name, name); \
  static void name()

#define CHECK(...) check::that((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
