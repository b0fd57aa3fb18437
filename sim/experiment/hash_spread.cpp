#include "futexsim/experiment/hash_spread.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "futexsim/parts/document.hpp"

namespace futexsim {
namespace {

struct Variant {
  std::string label;
  HashChoice choice;
};

/// A function in each setting of its first parameter that is one of several names.
std::vector<Variant> variants(const std::string& name) {
  const Document bare("--hash", name);
  for (const ParameterInfo& parameter :
       HashChoice::Parts::instance().at(bare.cursor()).parameters()) {
    if (!parameter.schema.contains("enum")) continue;
    std::vector<Variant> out;
    for (const auto& value : parameter.schema.at("enum")) {
      const Document choice("--hash", {{part_name_key, name}, {parameter.name, value}});
      out.push_back({name + " " + value.get<std::string>(), HashChoice(choice.cursor())});
    }
    return out;
  }
  return {{name, HashChoice(bare.cursor())}};
}

}  // namespace

BucketLoads::BucketLoads(const HashFunction& function, std::span<const FutexKey> keys,
                         std::uint32_t buckets)
    : keys_(keys.size()), loads_(buckets) {
  const auto bits = static_cast<unsigned>(std::countr_zero(buckets));
  for (const FutexKey& key : keys) ++loads_[function.hash(key, bits) & (buckets - 1)];
}

std::uint32_t BucketLoads::longest() const {
  return *std::max_element(loads_.begin(), loads_.end());
}

std::uint32_t BucketLoads::empty() const {
  return static_cast<std::uint32_t>(std::count(loads_.begin(), loads_.end(), 0U));
}

double BucketLoads::chi_square() const {
  double squares = 0;
  for (const std::uint32_t load : loads_) {
    const double excess = load - mean();
    squares += excess * excess;
  }
  return squares / mean();
}

double BucketLoads::chi_square_per_degree() const {
  if (loads_.size() == 1) return std::numeric_limits<double>::quiet_NaN();
  return chi_square() / static_cast<double>(loads_.size() - 1);
}

std::vector<HashSpread> hash_spreads(const std::vector<std::string>& names,
                                     const HashLayout& layout, std::uint32_t buckets) {
  std::vector<HashSpread> out;
  for (const std::string& name : names.empty() ? HashChoice::Parts::instance().names() : names) {
    for (const Variant& variant : variants(name)) {
      const std::unique_ptr<HashFunction> function = variant.choice.make();
      HashSpread& spread = out.emplace_back(
          HashSpread{variant.label, function->cost(), {}, function->refusal(buckets)});
      if (spread.refusal.empty()) {
        spread.loads.emplace(*function, layout.keys, buckets);
      } else if (!names.empty()) {
        throw InputError({.source = "--buckets"},
                         std::to_string(buckets) + " for hash function " + in_quotes(name),
                         spread.refusal);
      }
    }
  }
  return out;
}

}  // namespace futexsim
