#include "dagathlon/data/plain_fields.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <utility>

#include "dagathlon/data/plain_number.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t most_fields = 255;
// As many are looked through one by one; more are found by a table.
constexpr std::size_t few_fields = 8;
constexpr std::size_t slots = 1024;
constexpr std::uint8_t none = 255;
constexpr std::size_t word_bytes = sizeof(std::uint64_t);

// The first bytes of a field in one word, zeros behind it: text has no zero bytes.
std::uint64_t first_word(std::string_view field, const char* end_of_text) {
  std::uint64_t word = 0;
  if (end_of_text - field.data() < static_cast<std::ptrdiff_t>(word_bytes)) {
    std::memcpy(&word, field.data(), std::min(field.size(), word_bytes));
    return word;
  }
  std::memcpy(&word, field.data(), word_bytes);
  if (field.size() >= word_bytes) return word;
  return word & ((std::uint64_t{1} << (8 * field.size())) - 1);
}

// The different fields of a column.
class Dictionary {
 public:
  // The number of a field, a new one where it is new; `none` where there are too many.
  std::uint8_t operator()(std::string_view field, std::uint64_t word) {
    if (known_.size() > few_fields) return by_table(field, word);
    for (std::size_t k = 0; k < known_.size(); ++k)
      if (is(k, field, word)) return static_cast<std::uint8_t>(k);
    return added(field, word);
  }

  std::size_t size() const { return known_.size(); }
  std::string_view field(std::size_t k) const { return known_[k].field; }
  // Whether the field that was asked for last had not been known.
  bool grew() { return std::exchange(grew_, false); }
  void clear() { *this = Dictionary(); }

 private:
  struct Known {
    std::uint64_t word;
    std::string_view field;
  };

  bool is(std::size_t k, std::string_view field, std::uint64_t word) const {
    const Known& known = known_[k];
    if (known.word != word || known.field.size() != field.size()) return false;
    return field.size() <= word_bytes || known.field == field;
  }

  std::uint8_t added(std::string_view field, std::uint64_t word) {
    if (known_.size() == most_fields) return none;
    known_.push_back({word, field});
    grew_ = true;
    if (known_.size() == few_fields + 1) {
      table_.assign(slots, none);
      for (std::size_t k = 0; k < few_fields; ++k) table_[free_slot(known_[k])] = static_cast<std::uint8_t>(k);
    }
    const auto number = static_cast<std::uint8_t>(known_.size() - 1);
    if (!table_.empty()) table_[free_slot(known_.back())] = number;
    return number;
  }

  static std::size_t slot_of(std::string_view field, std::uint64_t word) {
    std::uint64_t key = word + field.size();
    if (field.size() > word_bytes) key ^= std::hash<std::string_view>()(field);
    return (key * 0x9E3779B97F4A7C15ULL) >> 54U;
  }

  std::size_t free_slot(const Known& known) const {
    std::size_t slot = slot_of(known.field, known.word);
    while (table_[slot] != none) slot = (slot + 1) % slots;
    return slot;
  }

  std::uint8_t by_table(std::string_view field, std::uint64_t word) {
    for (std::size_t slot = slot_of(field, word); table_[slot] != none; slot = (slot + 1) % slots)
      if (is(table_[slot], field, word)) return table_[slot];
    return added(field, word);
  }

  std::vector<Known> known_;
  std::vector<std::uint8_t> table_;
  bool grew_ = false;
};

// How many rows there may be, one that breaks off among them. Lines may be empty or too short, but each row that is
// whole and not the last has a byte behind each of its fields.
std::size_t most_rows(std::string_view text, std::size_t width) {
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + (text.ends_with('\n') ? 0 : 1);
  return std::min(lines, text.size() / width + 1);
}

bool has_return(std::string_view field) { return field.find('\r') != std::string_view::npos; }

class Scan {
 public:
  Scan(std::string_view text, const PlainLayout& layout)
      : at_(text.data()),
        end_(text.data() + text.size()),
        layout_(layout),
        columns_(layout.columns.size() -
                 static_cast<std::size_t>(std::ranges::count(layout.columns, ColumnUse::left_out))),
        most_rows_(most_rows(text, layout.columns.size())),
        codes_(columns_ * most_rows_),
        dictionaries_(columns_),
        place_of_values_(columns_, no_values) {}

  std::optional<PlainColumns> run() {
    while (at_ < end_) {
      pulse::beat(layout_.columns.size());
      if (passed_empty_line()) continue;
      if (!row()) return std::nullopt;
      ++rows_;
    }
    return finished();
  }

 private:
  static constexpr std::size_t no_values = std::numeric_limits<std::size_t>::max();

  bool passed_empty_line() {
    const char* next = at_;
    if (*next == '\r') ++next;
    if (next == end_ || *next != '\n') return false;
    at_ = next + 1;
    return true;
  }

  // Whether a line has as many fields as it should; none of them has what needs a better reader.
  bool row() {
    const std::size_t width = layout_.columns.size();
    const char delimiter = layout_.delimiter;
    std::size_t column = 0;
    for (std::size_t j = 0; j < width; ++j) {
      const char* start = at_;
      while (at_ < end_ && *at_ != delimiter && *at_ != '\n' && *at_ != '"') ++at_;
      const bool last = j + 1 == width;
      if (at_ < end_ && *at_ != (last ? '\n' : delimiter)) return false;
      if (at_ == end_ && !last) return false;
      std::string_view field(start, static_cast<std::size_t>(at_ - start));
      if (last && field.ends_with('\r')) field.remove_suffix(1);
      ++at_;
      if (layout_.columns[j] == ColumnUse::left_out) {
        if (has_return(field)) return false;
        continue;
      }
      const bool kept = place_of_values_[column] != no_values ? keep_number(column, field)
                                                              : keep_field(column, field, layout_.columns[j]);
      if (!kept) return false;
      ++column;
    }
    return true;
  }

  bool is_missing(std::string_view field) const {
    return std::ranges::find(layout_.missing, field) != layout_.missing.end();
  }

  bool keep_field(std::size_t column, std::string_view field, ColumnUse use) {
    Dictionary& dictionary = dictionaries_[column];
    const std::uint8_t code = dictionary(field, first_word(field, end_));
    if (code != none && !dictionary.grew()) {
      codes_[column * most_rows_ + rows_] = code;
      return true;
    }
    if (use == ColumnUse::any && (code == none || plain_number(field).kind == NumberKind::measurement) &&
        !is_missing(field) && became_numbers(column, code))
      return keep_number(column, field);
    if (code == none || has_return(field)) return false;
    codes_[column * most_rows_ + rows_] = code;
    return true;
  }

  // Makes numbers of a column whose fields before the one of the code are all small whole numbers or missing.
  bool became_numbers(std::size_t column, std::uint8_t code) {
    const Dictionary& dictionary = dictionaries_[column];
    const std::size_t known = code == none ? dictionary.size() : dictionary.size() - 1;
    std::array<double, most_fields> numbers;
    for (std::size_t k = 0; k < known; ++k)
      if (!number_of(dictionary.field(k), numbers[k])) return false;
    const std::size_t place = values_.size();
    if (rows_ == 0 && values_.empty()) values_.reserve(most_rows_ * (columns_ - column));
    values_.resize(place + most_rows_);
    for (std::size_t i = 0; i < rows_; ++i) values_[place + i] = numbers[codes_[column * most_rows_ + i]];
    place_of_values_[column] = place;
    dictionaries_[column].clear();
    return true;
  }

  bool number_of(std::string_view field, double& value) const {
    const PlainNumber number = plain_number(field);
    value = number.value;
    // A number may stand for a missing one, as -999 does.
    const bool spelled = number.kind != NumberKind::none && !is_missing(field);
    if (!spelled) value = std::numeric_limits<double>::quiet_NaN();
    return spelled || is_missing(field);
  }

  bool keep_number(std::size_t column, std::string_view field) {
    return number_of(field, values_[place_of_values_[column] + rows_]);
  }

  PlainColumns finished() {
    PlainColumns result{rows_, std::vector<std::int32_t>(columns_, -1), {}, {}, {}};
    std::size_t of_fields = 0;
    std::size_t of_numbers = 0;
    std::vector<double> values(rows_ == 0 ? 0 : values_.size() / most_rows_ * rows_);
    for (std::size_t j = 0; j < columns_; ++j) {
      if (place_of_values_[j] != no_values) {
        std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(place_of_values_[j]), rows_,
                    values.begin() + static_cast<std::ptrdiff_t>(of_numbers++ * rows_));
        continue;
      }
      result.list_of_column[j] = list_of(dictionaries_[j], result.lists);
      const auto from = codes_.begin() + static_cast<std::ptrdiff_t>(j * most_rows_);
      const auto to = codes_.begin() + static_cast<std::ptrdiff_t>(of_fields++ * rows_);
      if (from != to) std::copy_n(from, rows_, to);
    }
    codes_.resize(of_fields * rows_);
    result.codes = std::move(codes_);
    result.values = std::move(values);
    return result;
  }

  std::int32_t list_of(const Dictionary& dictionary, std::vector<std::vector<std::string>>& lists) {
    std::string key;
    // No field has a line feed.
    for (std::size_t k = 0; k < dictionary.size(); ++k) key.append(dictionary.field(k)).push_back('\n');
    const auto [entry, is_new] = number_of_list_.try_emplace(std::move(key), static_cast<std::int32_t>(lists.size()));
    if (is_new) {
      lists.emplace_back();
      for (std::size_t k = 0; k < dictionary.size(); ++k) lists.back().emplace_back(dictionary.field(k));
    }
    return entry->second;
  }

  const char* at_;
  const char* end_;
  const PlainLayout& layout_;
  std::size_t columns_;
  std::size_t most_rows_;
  std::vector<std::uint8_t> codes_;
  std::vector<Dictionary> dictionaries_;
  // Where the numbers of a column begin in values_.
  std::vector<std::size_t> place_of_values_;
  std::vector<double> values_;
  std::unordered_map<std::string, std::int32_t> number_of_list_;
  std::size_t rows_ = 0;
};

}  // namespace

std::optional<PlainColumns> plain_columns(std::string_view text, const PlainLayout& layout) {
  return Scan(text, layout).run();
}

}  // namespace dagathlon
