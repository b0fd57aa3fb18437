#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "futexsim/engine/random.hpp"
#include "futexsim/engine/wait_histogram.hpp"

using namespace futexsim;

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

}  // namespace

TEST_CASE("an empty histogram has no waits") {
  const WaitHistogram waits;
  CHECK(waits.count() == 0);
  CHECK(waits.max() == 0);
  CHECK(waits.p50() == 0);
}

TEST_CASE("waits below 256 ps are exact; a quantile is the wait of rank ceil(p n)") {
  WaitHistogram waits;
  for (std::uint64_t wait = 1; wait <= 200; ++wait) waits.add(wait);
  CHECK(waits.count() == 200);
  CHECK(waits.quantile(0) == 1);
  CHECK(waits.quantile(0.005) == 1);
  CHECK(waits.quantile(0.0051) == 2);
  CHECK(waits.p50() == 100);
  CHECK(waits.p99() == 198);
  CHECK(waits.p999() == 200);
  CHECK(waits.quantile(1) == 200);
}

TEST_CASE("ranks are exact where p n is a whole number") {
  // 0.99 and 0.999 have no exact binary form; rank 999 of 1000 must not become 1000.
  WaitHistogram waits;
  for (int i = 0; i < 990; ++i) waits.add(1);
  for (int i = 0; i < 9; ++i) waits.add(2);
  waits.add(3);
  CHECK(waits.p99() == 1);
  CHECK(waits.p999() == 2);
  CHECK(waits.quantile(0.9991) == 3);
}

TEST_CASE("a probability counts in whole parts per million") {
  // In binary, 0.00397 times a million falls short of 3970.
  WaitHistogram waits;
  for (int i = 0; i < 1'000'000; ++i) waits.add(i < 3969 ? 1 : 2);
  CHECK(waits.quantile(0.003969) == 1);
  CHECK(waits.quantile(0.00397) == 2);
}

TEST_CASE("every wait from 0 to 2^64 - 1 comes back within 0.4 %") {
  const auto error_of = [](std::uint64_t wait) {
    WaitHistogram waits;
    waits.add(wait);
    waits.add(kMost);  // keeps the quantile from being cut to the maximum
    const std::uint64_t median = waits.p50();
    const std::uint64_t apart = median > wait ? median - wait : wait - median;
    return static_cast<double>(apart) / static_cast<double>(std::max<std::uint64_t>(wait, 1));
  };
  double worst = 0;
  for (int bit = 0; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    for (const std::uint64_t wait : {power - 1, power, power + 1, power + power / 128}) {
      CAPTURE(wait);
      CHECK(error_of(wait) <= 0.004);
      worst = std::max(worst, error_of(wait));
    }
  }
  CHECK(worst > 0.003);  // the bound is near what 128 bins per octave give
}

TEST_CASE("quantiles of exponential waits are within 0.4 % of the sorted sample's") {
  RandomStream stream(37, "waits");
  WaitHistogram waits;
  std::vector<std::uint64_t> sorted(100'000);
  for (std::uint64_t& wait : sorted) {
    wait = stream.exponential(5'000'000);
    waits.add(wait);
  }
  std::sort(sorted.begin(), sorted.end());
  for (const std::size_t permille : {1U, 10U, 250U, 500U, 900U, 990U, 999U}) {
    const auto exact = static_cast<double>(sorted[permille * 100 - 1]);
    const auto found = static_cast<double>(waits.quantile(static_cast<double>(permille) / 1000));
    CAPTURE(permille);
    CHECK(std::abs(found / exact - 1) <= 0.004);
  }
  CHECK(waits.max() == sorted.back());
  CHECK(waits.quantile(1) == sorted.back());
}

TEST_CASE("no quantile is above the maximum") {
  WaitHistogram waits;
  waits.add(1'000'000);
  waits.add(1'000'000);
  CHECK(waits.p50() <= waits.max());
  CHECK(waits.max() == 1'000'000);
}

TEST_CASE("merged histograms equal one that saw all waits") {
  RandomStream stream(41, "merge");
  WaitHistogram first;
  WaitHistogram second;
  WaitHistogram all;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t wait = stream.exponential(1'000'000);
    (i % 3 == 0 ? first : second).add(wait);
    all.add(wait);
  }
  CHECK_FALSE(first == all);
  first.merge(second);
  CHECK(first == all);
}

TEST_CASE("filled bins: the longest wait of each, and how many; the last one ends at the longest") {
  WaitHistogram waits;
  for (const std::uint64_t wait : {3U, 3U, 255U, 256U, 257U, 258U, 1000U}) waits.add(wait);
  // Above 256 a bin holds two, above 512 four.
  using Bins = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  CHECK(waits.filled_bins() == Bins{{3, 2}, {255, 1}, {257, 2}, {259, 1}, {1000, 1}});
  CHECK(WaitHistogram().filled_bins().empty());
}
