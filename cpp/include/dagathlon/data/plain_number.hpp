// Numbers as programs write them into text, and what they tell about the column they stand in.
#pragma once

#include <cstdint>
#include <string_view>

namespace dagathlon {

enum class NumberKind : std::uint8_t {
  // No number, or one that may also be a label or needs a closer look: 01, -0, +1, 1e999.
  none,
  // A whole number of a byte, which may be a code.
  byte,
  // A number that is no code: a fraction, an exponent, below 0 or above 255.
  measurement,
};

struct PlainNumber {
  NumberKind kind;
  double value;
};

// What a field spells; its value is the double nearest to it. Blanks around it are not taken off.
PlainNumber plain_number(std::string_view field);

}  // namespace dagathlon
