#include "dagathlon/plain_fields.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "dagathlon/pulse.hpp"

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

  std::vector<std::string> fields() const {
    std::vector<std::string> result;
    for (const Known& known : known_) result.emplace_back(known.field);
    return result;
  }

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
};

class Scan {
 public:
  Scan(std::span<const char> text, char delimiter, std::span<const bool> wanted)
      : at_(text.data()),
        end_(text.data() + text.size()),
        delimiter_(delimiter),
        wanted_(wanted),
        columns_(static_cast<std::size_t>(std::ranges::count(wanted, true))),
        most_rows_(static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1),
        codes_(columns_ * most_rows_),
        dictionaries_(columns_) {}

  std::optional<PlainFields> run() {
    while (at_ < end_) {
      pulse::beat(wanted_.size());
      if (passed_empty_line()) continue;
      if (!row()) return std::nullopt;
      ++rows_;
    }
    return finished();
  }

 private:
  bool passed_empty_line() {
    const char* next = at_;
    if (*next == '\r') ++next;
    if (next == end_ || *next != '\n') return false;
    at_ = next + 1;
    return true;
  }

  // Whether a line has as many fields as it should; none of them has what needs a better reader.
  bool row() {
    std::size_t place = 0;
    for (std::size_t j = 0; j < wanted_.size(); ++j) {
      const char* start = at_;
      while (at_ < end_ && *at_ != delimiter_ && *at_ != '\n' && *at_ != '"') ++at_;
      const bool last = j + 1 == wanted_.size();
      if (at_ < end_ && *at_ != (last ? '\n' : delimiter_)) return false;
      if (at_ == end_ && !last) return false;
      std::string_view field(start, static_cast<std::size_t>(at_ - start));
      if (last && field.ends_with('\r')) field.remove_suffix(1);
      ++at_;
      if (!wanted_[j]) continue;
      const std::uint8_t code = dictionaries_[place](field, first_word(field, end_));
      if (code == none) return false;
      codes_[place++ * most_rows_ + rows_] = code;
    }
    return true;
  }

  std::optional<PlainFields> finished() {
    PlainFields result{rows_, std::move(codes_), {}};
    for (const Dictionary& dictionary : dictionaries_) {
      result.fields.push_back(dictionary.fields());
      for (const std::string& field : result.fields.back())
        if (field.find('\r') != std::string::npos) return std::nullopt;
    }
    if (rows_ < most_rows_) {
      for (std::size_t j = 0; j < columns_; ++j)
        std::copy_n(result.codes.begin() + static_cast<std::ptrdiff_t>(j * most_rows_), rows_,
                    result.codes.begin() + static_cast<std::ptrdiff_t>(j * rows_));
      result.codes.resize(columns_ * rows_);
    }
    return result;
  }

  const char* at_;
  const char* end_;
  char delimiter_;
  std::span<const bool> wanted_;
  std::size_t columns_;
  std::size_t most_rows_;
  std::vector<std::uint8_t> codes_;
  std::vector<Dictionary> dictionaries_;
  std::size_t rows_ = 0;
};

}  // namespace

std::optional<PlainFields> plain_fields(std::span<const char> text, char delimiter, std::span<const bool> wanted) {
  return Scan(text, delimiter, wanted).run();
}

}  // namespace dagathlon
