#include <algorithm>
#include <array>
#include <cmath>

#include "futexsim/experiment/hash_spread.hpp"
#include "futexsim/experiment/result_row.hpp"
#include "futexsim/experiment/text_table.hpp"
#include "futexsim/experiment/version.hpp"
#include "json_cell.hpp"

namespace futexsim {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t bins = 16;

/// Loads that share a bin: so that twice the mean still has one of its own.
std::uint32_t bin_width(double mean) {
  return static_cast<std::uint32_t>(std::ceil(2 * mean / (bins - 1)));
}

/// Buckets by load: a bin a character, the tallest bin in full height, the last bin everything
/// above.
std::string histogram(const BucketLoads& loads) {
  constexpr std::array<const char*, 9> heights{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::uint32_t width = bin_width(loads.mean());
  std::array<std::size_t, bins> counts{};
  for (const std::uint32_t load : loads.loads()) {
    ++counts[std::min<std::size_t>(load / width, bins - 1)];
  }
  const std::size_t tallest = *std::max_element(counts.begin(), counts.end());
  std::string out;
  for (const std::size_t count : counts) {
    out += heights[(count * (heights.size() - 1) + tallest - 1) / tallest];
  }
  return '|' + out + '|';
}

ordered_json row(const HashLayout& layout, const HashSpread& spread, std::uint32_t buckets) {
  ordered_json out = {{"hash", spread.hash},
                      {"futexes", layout.keys.size()},
                      {"buckets", buckets},
                      {"chi_square", nullptr},
                      {"chi_square_per_degree", nullptr},
                      {"longest", nullptr},
                      {"empty", nullptr},
                      {"cycles", spread.cost.cycles},
                      {"cost_source", spread.cost.source}};
  if (spread.loads) {
    out["chi_square"] = finite(spread.loads->chi_square());
    out["chi_square_per_degree"] = finite(spread.loads->chi_square_per_degree());
    out["longest"] = spread.loads->longest();
    out["empty"] = spread.loads->empty();
  }
  return out;
}

std::vector<ordered_json> rows(const HashLayout& layout, const std::vector<HashSpread>& spreads,
                               std::uint32_t buckets) {
  std::vector<ordered_json> out;
  out.reserve(spreads.size());
  for (const HashSpread& spread : spreads) out.push_back(row(layout, spread, buckets));
  return out;
}

}  // namespace

std::string hash_spread_text(const HashLayout& layout, const std::vector<HashSpread>& spreads,
                             std::uint32_t buckets) {
  using enum TextTable::Align;
  const double mean = static_cast<double>(layout.keys.size()) / buckets;
  TextTable table({{"hash", left},
                   {"chi²/df", right},
                   {"longest", right},
                   {"empty", right},
                   {"cycles", right},
                   {"buckets by load", left}});
  for (const HashSpread& spread : spreads) {
    const std::string cycles = std::to_string(spread.cost.cycles);
    if (!spread.loads) {
      table.add({spread.hash, "-", "-", "-", cycles, "only " + spread.refusal});
      continue;
    }
    table.add({spread.hash, fixed(spread.loads->chi_square_per_degree(), 3),
               std::to_string(spread.loads->longest()), std::to_string(spread.loads->empty()),
               cycles, histogram(*spread.loads)});
  }
  const std::uint32_t width = bin_width(mean);
  return layout.description + "; " + std::to_string(buckets) + " buckets, " + fixed(mean, 1) +
         " futexes each on average\n\n" + table.text() +
         "\nchi²/df: 1 as if at random, 0 if all buckets had the same load. By load: from 0 on the "
         "left,\n" +
         (width == 1 ? "1 futex" : std::to_string(width) + " futexes") + " a character, the last " +
         std::to_string((bins - 1) * width) +
         " and more. Cycles: for any core; `futexsim list hashes` says where measured.\n";
}

std::string hash_spread_json(const HashLayout& layout, const std::vector<HashSpread>& spreads,
                             std::uint32_t buckets) {
  ordered_json out = {{"layout", layout.description},
                      {"version", version()},
                      {"hashes", rows(layout, spreads, buckets)}};
  return out.dump() + "\n";
}

std::string hash_spread_csv(const HashLayout& layout, const std::vector<HashSpread>& spreads,
                            std::uint32_t buckets) {
  return rows_csv(rows(layout, spreads, buckets));
}

}  // namespace futexsim
