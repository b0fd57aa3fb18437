#include "futexsim/kernel/hash_function.hpp"

#include <bit>
#include <cassert>

namespace futexsim {

std::string HashFunction::refusal(std::uint32_t buckets) const {
  assert(std::has_single_bit(buckets));
  const auto bits = static_cast<unsigned>(std::countr_zero(buckets));
  const TableBits served = table_bits();
  if (served.least <= bits && bits <= served.most) return {};
  return std::to_string(std::uint64_t{1} << served.least) + " to " +
         std::to_string(std::uint64_t{1} << served.most) + " buckets";
}

}  // namespace futexsim
