#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "futexsim/experiment/hash_layout.hpp"
#include "futexsim/kernel/hash_function.hpp"

namespace futexsim {

/// How many futexes each bucket of a table has.
class BucketLoads {
 public:
  /// `buckets`: a power of two that the function serves.
  BucketLoads(const HashFunction& function, std::span<const FutexKey> keys, std::uint32_t buckets);

  const std::vector<std::uint32_t>& loads() const { return loads_; }
  double mean() const { return static_cast<double>(keys_) / static_cast<double>(loads_.size()); }
  std::uint32_t longest() const;
  std::uint32_t empty() const;
  /// Pearson's statistic against equal loads, over its degrees of freedom (buckets - 1): about 1
  /// where keys fall at random, 0 where all loads are equal, and as large as the number of keys
  /// where all are in one bucket. Not a number for a single bucket.
  double chi_square_per_degree() const;
  double chi_square() const;

 private:
  std::size_t keys_;
  std::vector<std::uint32_t> loads_;
};

/// What a hash function makes of a layout.
struct HashSpread {
  std::string hash;  ///< its name, and a parameter that it has: "hash_64 pi"
  HashCost cost;
  std::optional<BucketLoads> loads;  ///< nothing when it can't serve the table
  std::string refusal;               ///< then: "4 to 4096 buckets"
};

/// Every hash function of `names`, or all when there are none, in each setting of its parameters.
/// InputError for an unknown name, and for a named one that can't serve the table.
std::vector<HashSpread> hash_spreads(const std::vector<std::string>& names,
                                     const HashLayout& layout, std::uint32_t buckets);

/// Chi-square, longest and empty buckets, cost: for people with the distribution of loads, as JSON
/// and as CSV.
std::string hash_spread_text(const HashLayout& layout, const std::vector<HashSpread>& spreads,
                             std::uint32_t buckets);
std::string hash_spread_json(const HashLayout& layout, const std::vector<HashSpread>& spreads,
                             std::uint32_t buckets);
std::string hash_spread_csv(const HashLayout& layout, const std::vector<HashSpread>& spreads,
                            std::uint32_t buckets);

}  // namespace futexsim
