// Delimited text without quotation marks whose columns have few different fields, as codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dagathlon {

struct PlainFields {
  std::size_t rows;
  // Column after column: the number of each field among the different ones of its column.
  std::vector<std::uint8_t> codes;
  // The different fields of each column as they are written, in the order in which they occur.
  std::vector<std::vector<std::string>> fields;
};

// The wanted columns of a text whose lines end in a line feed, perhaps after a carriage return; empty lines
// are passed over. None where the text is not that plain: where a quotation mark stands in it, a carriage
// return elsewhere, another number of fields in some line, or more than 255 different fields in a column.
std::optional<PlainFields> plain_fields(std::span<const char> text, char delimiter, std::span<const bool> wanted);

}  // namespace dagathlon
