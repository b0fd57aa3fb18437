#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace futexsim {

/// Distribution of waits in integer picoseconds, log-linear as HdrHistogram: 128 equal bins per
/// power of two, exact below 256 ps. Every 64-bit value has a bin, at most 1/128 of its value wide.
/// 58 KiB whatever it holds; add() is O(1), the rest O(bins).
class WaitHistogram {
 public:
  WaitHistogram() : counts_(kBins) {}

  void add(std::uint64_t picoseconds) {
    ++counts_[bin_of(picoseconds)];
    ++count_;
    max_ = std::max(max_, picoseconds);
  }

  /// Adds all waits of `other`, as if each had been added here.
  void merge(const WaitHistogram& other) {
    for (std::size_t bin = 0; bin < kBins; ++bin) counts_[bin] += other.counts_[bin];
    count_ += other.count_;
    max_ = std::max(max_, other.max_);
  }

  std::uint64_t count() const { return count_; }

  /// The longest wait, exactly; 0 if empty.
  std::uint64_t max() const { return max_; }

  /// The wait of rank ceil(probability * count), at least 1, within 0.4 % of the exact one; the
  /// largest rank is max(). 0 if empty. 0 <= probability <= 1, taken in whole parts per million.
  std::uint64_t quantile(double probability) const {
    assert(probability >= 0 && probability <= 1);
    constexpr std::uint64_t kMillion = 1'000'000;
    const auto millionths = static_cast<std::uint64_t>(std::llround(probability * kMillion));
    const std::uint64_t whole = count_ / kMillion * millionths;
    const std::uint64_t part = count_ % kMillion * millionths;
    const std::uint64_t rank = std::max<std::uint64_t>(1, whole + (part + kMillion - 1) / kMillion);
    if (rank >= count_) return max_;
    std::uint64_t seen = counts_[0];
    std::size_t bin = 0;
    while (seen < rank) seen += counts_[++bin];
    return std::min(middle_of(bin), max_);
  }

  std::uint64_t p50() const { return quantile(0.5); }
  std::uint64_t p99() const { return quantile(0.99); }
  std::uint64_t p999() const { return quantile(0.999); }

  /// The bins that hold a wait, in order: the longest wait that belongs to it, and how many it has.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> filled_bins() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
    for (std::size_t bin = 0; bin < kBins; ++bin) {
      if (counts_[bin] != 0) out.emplace_back(std::min(last_of(bin), max_), counts_[bin]);
    }
    return out;
  }

  bool operator==(const WaitHistogram&) const = default;

 private:
  static constexpr std::size_t kBinBits = 7;
  static constexpr std::uint64_t kBinsPerOctave = std::uint64_t{1} << kBinBits;
  static constexpr std::size_t kBins = (64 - kBinBits + 1) * kBinsPerOctave;

  static std::size_t bin_of(std::uint64_t value) {
    const auto shift =
        static_cast<std::size_t>(std::bit_width(value | kBinsPerOctave)) - kBinBits - 1;
    return shift * kBinsPerOctave + (value >> shift);
  }

  static std::uint64_t middle_of(std::size_t bin) {
    if (bin < 2 * kBinsPerOctave) return bin;
    const std::size_t shift = bin / kBinsPerOctave - 1;
    const std::uint64_t low = (bin - shift * kBinsPerOctave) << shift;
    return low + (std::uint64_t{1} << shift) / 2;
  }

  static std::uint64_t last_of(std::size_t bin) {
    if (bin < 2 * kBinsPerOctave) return bin;
    const std::size_t shift = bin / kBinsPerOctave - 1;
    return ((bin - shift * kBinsPerOctave) << shift) + ((std::uint64_t{1} << shift) - 1);
  }

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace futexsim
