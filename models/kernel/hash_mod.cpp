#include <array>
#include <cassert>

#include "futexsim/kernel/hash_function.hpp"
#include "key_bytes.hpp"

namespace futexsim {
namespace {

constexpr HashFunction::TableBits known_bits{.least = 2, .most = 12};

/// By bits: the largest prime below the table's size.
constexpr std::array<std::uint32_t, 11> primes{3, 7, 13, 31, 61, 127, 251, 509, 1021, 2039, 4093};

/// hash_mod() of the 2016 RFC (lib/hashmod.c): the remainder by a prime of the address folded to 32
/// bits, by a multiplication with the prime's inverse, rounded down to 32 bits; so that a remainder
/// may come out a prime too large, and then loses what the table's mask cuts off. Which value the
/// RFC fed to it isn't known; here it is page + offset. There are no bits above those of the
/// bucket.
class HashMod final : public HashFunction {
 public:
  std::uint32_t hash(const FutexKey& key, unsigned bits) const override {
    assert(known_bits.least <= bits && bits <= known_bits.most);
    const std::uint32_t prime = primes[bits - known_bits.least];
    const std::uint64_t inverse = (std::uint64_t{1} << 32) / prime;
    const std::uint64_t address = uaddr(key);
    const auto folded = static_cast<std::uint32_t>(address ^ (address >> 32));
    const auto multiple = static_cast<std::uint32_t>((folded * inverse) >> 32);
    return (folded - multiple * prime) & ((1U << bits) - 1);
  }
  HashCost cost() const override { return {8, "Zen 3, 15 instructions, 2.1 ns"}; }
  TableBits table_bits() const override { return known_bits; }
};

const Declaration<NoParameters> declaration(
    "hash_mod", "address modulo a prime, 4 to 4096 buckets (RFC of 2016)");
const Register<HashFunction> hash_mod{
    declaration, [](const NoParameters&) { return std::make_unique<HashMod>(); }};

}  // namespace
}  // namespace futexsim
