#include "dagathlon/undirected/graphical_lasso_model.hpp"

#include <algorithm>
#include <cmath>

#include "dagathlon/run/dispatch.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t lane = LassoModel::block;
using FloatLane = float __attribute__((vector_size(lane * sizeof(float)), aligned(alignof(float)), may_alias));
using Half = float __attribute__((vector_size(lane / 2 * sizeof(float)), may_alias));
using Quarter = float __attribute__((vector_size(lane / 4 * sizeof(float)), may_alias));

// Rows are padded with zeros to whole lanes.
[[gnu::always_inline]] inline double product(const float* a, const float* b, std::size_t stride) {
  FloatLane even{}, odd{};
  std::size_t k = 0;
  for (; k + 2 * lane <= stride; k += 2 * lane) {
    even += *reinterpret_cast<const FloatLane*>(a + k) * *reinterpret_cast<const FloatLane*>(b + k);
    odd += *reinterpret_cast<const FloatLane*>(a + k + lane) * *reinterpret_cast<const FloatLane*>(b + k + lane);
  }
  if (k < stride) even += *reinterpret_cast<const FloatLane*>(a + k) * *reinterpret_cast<const FloatLane*>(b + k);
  const FloatLane sum = even + odd;
  const auto* halves = reinterpret_cast<const Half*>(&sum);
  const Half half = halves[0] + halves[1];
  const auto* quarters = reinterpret_cast<const Quarter*>(&half);
  const Quarter quarter = quarters[0] + quarters[1];
  return static_cast<double>((quarter[0] + quarter[2]) + (quarter[1] + quarter[3]));
}

double softened(double value, double by) { return value > by ? value - by : value < -by ? value + by : 0.0; }

DAGATHLON_WIDE_CLONES void narrow(const double* from, double unit, const std::vector<double>& units, float* to) {
  for (std::size_t j = 0; j < units.size(); ++j) to[j] = static_cast<float>(from[j] * unit * units[j]);
}

// A row of the step by the panel, into one place of every column.
DAGATHLON_WIDE_CLONES void multiply_row(std::span<const float> step, const std::uint32_t* places, const float* panel,
                                        float* out, std::size_t stride) {
  constexpr std::size_t chains = 4;
  FloatLane sums[chains]{};
  std::size_t t = 0;
  for (; t + chains <= step.size(); t += chains)
    for (std::size_t c = 0; c < chains; ++c)
      sums[c] += step[t + c] * *reinterpret_cast<const FloatLane*>(panel + places[t + c] * lane);
  for (; t < step.size(); ++t) sums[0] += step[t] * *reinterpret_cast<const FloatLane*>(panel + places[t] * lane);
  const FloatLane sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (std::size_t c = 0; c < lane; ++c) out[c * stride] = sum[c];
}

struct RowTask {
  std::size_t row, first, end, stride, column_stride;
  LassoPenalties penalties;
  bool only_nonzero;
  const double* scales;
  const float* inverse;
  const float* panel;
  float* columns;
  float* step;   // of all rows
  float* upper;  // of the entries of this one
};

// One descent over the entries of a row; the largest change of a slope.
DAGATHLON_WIDE_CLONES double descend_row(std::span<LassoEntry> entries, const RowTask& task) {
  const std::size_t i = task.row;
  const float* column = task.columns + (i - task.first) * task.column_stride;
  double largest = 0.0;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    LassoEntry& entry = entries[e];
    if (task.only_nonzero && entry.value == 0.0) continue;
    const std::size_t j = entry.column;
    const double scale = task.scales[i] * task.scales[j];
    const double slope = entry.gradient + scale * product(task.inverse + j * task.stride, column, task.stride);
    const double penalty = i == j ? task.penalties.diagonal : task.penalties.other;
    const double value = softened(entry.value - slope * entry.radius, penalty * entry.radius);
    const double change = value - entry.value;
    if (change == 0.0) continue;
    entry.value = value;
    largest = std::max(largest, std::abs(change) / entry.radius);
    const auto scaled = static_cast<float>(change * scale);
    task.upper[e] += scaled;
    if (i != j) task.step[entry.mirror] += scaled;
    // The columns that are still to come of this block.
    for (std::size_t c = i - task.first; c < task.end - task.first; ++c) {
      float* other = task.columns + c * task.column_stride;
      other[i] += scaled * task.panel[j * lane + c];
      if (i != j) other[j] += scaled * task.panel[i * lane + c];
    }
  }
  return largest;
}

// A row of D·W, some whole lanes of it, into one place of as many columns.
DAGATHLON_WIDE_CLONES void combine_rows(std::span<const float> factors, const std::uint32_t* places, const float* rows,
                                        std::size_t stride, std::size_t width, float* out, std::size_t out_stride) {
  for (std::size_t c = 0; c < width; c += lane) {
    FloatLane even{}, odd{};
    std::size_t t = 0;
    for (; t + 2 <= factors.size(); t += 2) {
      even += factors[t] * *reinterpret_cast<const FloatLane*>(rows + places[t] * stride + c);
      odd += factors[t + 1] * *reinterpret_cast<const FloatLane*>(rows + places[t + 1] * stride + c);
    }
    if (t < factors.size()) even += factors[t] * *reinterpret_cast<const FloatLane*>(rows + places[t] * stride + c);
    const FloatLane sum = even + odd;
    for (std::size_t l = 0; l < lane; ++l) out[(c + l) * out_stride] = sum[l];
  }
}

DAGATHLON_WIDE_CLONES double wide_product(const float* a, const float* b, std::size_t stride) {
  return product(a, b, stride);
}

}  // namespace

void LassoPattern::index(std::size_t n) {
  begins.assign(n + 1, 0);
  for (std::size_t k = 0; k < size(); ++k) {
    ++begins[rows[k] + 1];
    if (rows[k] != columns[k]) ++begins[columns[k] + 1];
  }
  for (std::size_t i = 0; i < n; ++i) begins[i + 1] += begins[i];
  places.resize(begins[n]);
  which.resize(begins[n]);
  std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
  const auto put = [&](std::size_t row, std::size_t column, std::size_t entry) {
    places[next[row]] = static_cast<std::uint32_t>(column);
    which[next[row]++] = static_cast<std::uint32_t>(entry);
  };
  for (std::size_t k = 0; k < size(); ++k) {
    put(rows[k], columns[k], k);
    if (rows[k] != columns[k]) put(columns[k], rows[k], k);
  }
}

// A stride of columns that is no power of two: their same places would push each other out of the cache.
LassoModel::LassoModel(std::size_t size)
    : size_(size),
      stride_((size + lane - 1) / lane * lane),
      column_stride_(stride_ + lane),
      scales_(size),
      inverse_(size * stride_),
      begins_(size + 1),
      uppers_(size),
      panel_(size * lane),
      columns_(lane * column_stride_) {}

void LassoModel::begin(const SquareMatrix& inverse, LassoEntries& entries) {
  std::vector<double> units(size_);
  for (std::size_t i = 0; i < size_; ++i) units[i] = 1.0 / (scales_[i] = std::sqrt(inverse(i, i)));
  for (std::size_t i = 0; i < size_; ++i) narrow(inverse.row(i), units[i], units, inverse_.data() + i * stride_);
  place(entries);
  step_.assign(places_.size(), 0.0F);
}

void LassoModel::place(LassoEntries& entries) {
  std::vector<std::size_t> lower(size_, 0);
  for (std::size_t i = 0; i < size_; ++i)
    for (const LassoEntry& entry : entries.row(i)) lower[entry.column] += entry.column != i;
  for (std::size_t i = 0; i < size_; ++i) {
    uppers_[i] = begins_[i] + lower[i];
    begins_[i + 1] = uppers_[i] + entries.row(i).size();
    lower[i] = begins_[i];
  }
  places_.resize(begins_[size_]);
  for (std::size_t i = 0; i < size_; ++i) {
    std::size_t upper = uppers_[i];
    for (LassoEntry& entry : entries.row(i)) {
      places_[upper++] = entry.column;
      if (entry.column == i) continue;
      entry.mirror = static_cast<std::uint32_t>(lower[entry.column]++);
      places_[entry.mirror] = static_cast<std::uint32_t>(i);
    }
  }
}

void LassoModel::set_step(LassoEntries& entries, const SquareMatrix& precision) {
  for (std::size_t i = 0; i < size_; ++i) {
    std::size_t upper = uppers_[i];
    for (const LassoEntry& entry : entries.row(i)) {
      const double change = entry.value - precision(i, entry.column);
      const auto scaled = static_cast<float>(change * scales_[i] * scales_[entry.column]);
      step_[upper++] = scaled;
      if (i != entry.column) step_[entry.mirror] = scaled;
    }
  }
}

void LassoModel::curve(const LassoPattern& pattern, std::span<const double> values, std::span<double> out) {
  factors_.resize(pattern.places.size());
  for (std::size_t t = 0; t < factors_.size(); ++t) {
    const std::size_t k = pattern.which[t];
    factors_[t] = static_cast<float>(values[k] * scales_[pattern.rows[k]] * scales_[pattern.columns[k]]);
  }
  turned_.resize(std::min(wide_block, stride_) * column_stride_);
  for (std::size_t first = 0; first < size_; first += wide_block) {
    const std::size_t width = std::min(wide_block, stride_ - first);
    for (std::size_t i = 0; i < size_; ++i) {
      const std::size_t begin = pattern.begins[i], count = pattern.begins[i + 1] - begin;
      pulse::beat(count * width);
      combine_rows({factors_.data() + begin, count}, pattern.places.data() + begin, inverse_.data() + first, stride_,
                   width, turned_.data() + i, column_stride_);
    }
    // Rows and columns of the upper half ascend, so that those of a block follow each other in each row.
    for (std::size_t k = 0; k < pattern.size(); ++k) {
      const std::size_t i = pattern.rows[k], j = pattern.columns[k];
      if (j < first || j >= first + width) continue;
      pulse::beat(size_);
      const double scale = scales_[i] * scales_[j];
      out[k] =
          scale * wide_product(inverse_.data() + i * stride_, turned_.data() + (j - first) * column_stride_, stride_);
    }
  }
}

void LassoModel::take_columns(std::size_t first) {
  for (std::size_t k = 0; k < size_; ++k)
    std::copy_n(inverse_.data() + k * stride_ + first, lane, panel_.data() + k * lane);
  for (std::size_t k = 0; k < size_; ++k)
    multiply_row({step_.data() + begins_[k], begins_[k + 1] - begins_[k]}, places_.data() + begins_[k], panel_.data(),
                 columns_.data() + k, column_stride_);
}

double LassoModel::sweep(LassoEntries& entries, const LassoPenalties& penalties, bool only_nonzero) {
  double largest = 0.0;
  for (std::size_t first = 0; first < size_; first += lane) {
    pulse::beat(lane * (size_ + step_.size()));
    take_columns(first);
    const std::size_t end = std::min(first + lane, size_);
    for (std::size_t i = first; i < end; ++i) {
      const auto row = entries.row(i);
      pulse::beat(row.size() * size_);
      const RowTask task{i,
                         first,
                         end,
                         stride_,
                         column_stride_,
                         penalties,
                         only_nonzero,
                         scales_.data(),
                         inverse_.data(),
                         panel_.data(),
                         columns_.data(),
                         step_.data(),
                         step_.data() + uppers_[i]};
      largest = std::max(largest, descend_row(row, task));
    }
  }
  return largest;
}

}  // namespace dagathlon
