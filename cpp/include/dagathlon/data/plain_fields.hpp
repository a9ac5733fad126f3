// Delimited text without quotation marks: columns of few different fields as codes, others as numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dagathlon {

// What is to be made of a column.
enum class ColumnUse : std::uint8_t {
  left_out,
  // The different fields, whatever they are.
  fields,
  // The same, or numbers once a field is a measurement.
  any,
};

struct PlainColumns {
  std::size_t rows;
  // For each column that is not left out: which of `lists` has its fields, or -1 for numbers.
  std::vector<std::int32_t> list_of_column;
  // The columns of fields, one after the other: the number of each row's field in the list.
  std::vector<std::uint8_t> codes;
  // The columns of numbers, one after the other; NaN is missing.
  std::vector<double> values;
  // The different fields of a column as they are written, in the order in which they occur. Columns with the same
  // have one list.
  std::vector<std::vector<std::string>> lists;
};

struct PlainLayout {
  char delimiter;
  std::span<const ColumnUse> columns;
  // Fields that mean a missing value; they stand in lists all the same.
  std::span<const std::string> missing;
};

// The columns of a text whose lines end in a line feed, perhaps after a carriage return; empty lines are passed
// over. None where the text is not that plain: where a quotation mark stands in it, a carriage return elsewhere,
// another number of fields in some line, something else amid numbers (see plain_number), or more than 255 different
// fields in a column of others.
std::optional<PlainColumns> plain_columns(std::string_view text, const PlainLayout& layout);

}  // namespace dagathlon
