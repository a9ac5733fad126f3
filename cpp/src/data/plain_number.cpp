#include "dagathlon/data/plain_number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <system_error>

namespace dagathlon {

namespace {

constexpr PlainNumber no_number{NumberKind::none, 0.0};
constexpr std::size_t byte_digits = 3;
constexpr int most_byte = 255;

bool is_digit(char sign) { return sign >= '0' && sign <= '9'; }

const char* past_digits(const char* at, const char* end) {
  while (at < end && is_digit(*at)) ++at;
  return at;
}

// Some standard libraries read whole numbers only; then C's reader, which rounds the same way.
template <class Number>
bool read(std::string_view field, Number& value) {
  if constexpr (requires { std::from_chars(field.data(), field.data(), value); }) {
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    return error == std::errc() && end == field.data() + field.size();
  } else {
    const std::string copy(field);
    char* end = nullptr;
    value = std::strtod(copy.c_str(), &end);
    return end == copy.c_str() + copy.size() && std::isfinite(value);
  }
}

PlainNumber whole_number(std::string_view digits, bool negative, std::string_view field) {
  if (digits.front() == '0' && (digits.size() > 1 || negative)) return no_number;
  if (digits.size() <= byte_digits && !negative) {
    int value = 0;
    for (const char digit : digits) value = 10 * value + (digit - '0');
    const NumberKind kind = value <= most_byte ? NumberKind::byte : NumberKind::measurement;
    return {kind, static_cast<double>(value)};
  }
  PlainNumber found{NumberKind::measurement, 0.0};
  return read(field, found.value) ? found : no_number;
}

}  // namespace

PlainNumber plain_number(std::string_view field) {
  const char* const end = field.data() + field.size();
  const bool negative = field.starts_with('-');
  const char* const first = field.data() + (negative ? 1 : 0);
  const char* at = past_digits(first, end);
  if (at == end) {
    if (at == first) return no_number;
    return whole_number({first, static_cast<std::size_t>(end - first)}, negative, field);
  }
  std::ptrdiff_t digits = at - first;
  if (*at == '.') {
    const char* const behind = at + 1;
    at = past_digits(behind, end);
    digits += at - behind;
  }
  if (digits == 0) return no_number;
  if (at < end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at < end && (*at == '+' || *at == '-')) ++at;
    const char* const exponent = at;
    at = past_digits(exponent, end);
    if (at == exponent) return no_number;
  }
  PlainNumber found{NumberKind::measurement, 0.0};
  return at == end && read(field, found.value) ? found : no_number;
}

}  // namespace dagathlon
