#include <algorithm>
#include <array>
#include <string>

#include "futexsim/kernel/hash_function.hpp"
#include "key_bytes.hpp"

namespace futexsim {
namespace {

constexpr HashCost cost_64{5, "Zen 3, 6 instructions, below 1.5 ns"};
constexpr HashCost cost_32{5, "Zen 3, 5 instructions, 2.1 ns"};

/// include/linux/hash.h since v4.7: 1 - (sqrt(5) - 1) / 2, in units of 2^-64 and 2^-32.
constexpr std::uint64_t golden_ratio_64 = 0x61c8'8646'80b5'83eb;
constexpr std::uint32_t golden_ratio_32 = 0x61c8'8647;
/// The same until v4.6: primes near the golden ratio that have few bits set.
constexpr std::uint64_t golden_ratio_prime_64 = 0x9e37'ffff'fffc'0001;
constexpr std::uint32_t golden_ratio_prime_32 = 0x9e37'0001;

struct Multiplier {
  const char* name;
  std::uint64_t value;
};

/// Others of the thread of the 2016 RFC that no kernel has. The first is Linus Torvalds' next step
/// from golden_ratio_prime_64. The fractions of pi and e are the odd numbers nearest to them.
constexpr std::array<Multiplier, 4> others{{{"interim-2016", 0x9e37'0031'0c10'0d01},
                                            {"golden-ratio", 0x9e37'79b9'7f4a'7c16},
                                            {"pi", 0x243f'6a88'85a3'08d3},
                                            {"e", 0xb7e1'5162'8aed'2a6b}}};

/// The high half of `word`, its highest `bits` bits put below the others.
constexpr std::uint32_t from_the_top(std::uint64_t word, unsigned bits) {
  if (bits == 0) return static_cast<std::uint32_t>(word >> 32);
  const std::uint64_t next = word << bits >> 32 >> bits;
  return static_cast<std::uint32_t>((word >> (64 - bits)) | (next << bits));
}

/// hash_64(), hash_long() on a 64-bit machine: the high bits of the product with a constant.
/// Takes the user address: page + offset.
class HashLong final : public HashFunction {
 public:
  explicit HashLong(std::uint64_t multiplier) : multiplier_(multiplier) {}
  std::uint32_t hash(const FutexKey& key, unsigned bits) const override {
    return from_the_top(uaddr(key) * multiplier_, bits);
  }
  HashCost cost() const override { return cost_64; }

 private:
  std::uint64_t multiplier_;
};

/// hash_32(): the high bits of the product of 32 bits. Takes the low half of the user address.
class Hash32 final : public HashFunction {
 public:
  explicit Hash32(std::uint32_t multiplier) : multiplier_(multiplier) {}
  std::uint32_t hash(const FutexKey& key, unsigned bits) const override {
    const std::uint32_t product = static_cast<std::uint32_t>(uaddr(key)) * multiplier_;
    return from_the_top(std::uint64_t{product} << 32, bits);
  }
  HashCost cost() const override { return cost_32; }

 private:
  std::uint32_t multiplier_;
};

struct MultiplierParameters {
  std::string multiplier = "golden-ratio";

  static Declaration<MultiplierParameters> declaration() {
    std::vector<std::string> names;
    for (const Multiplier& known : others) names.emplace_back(known.name);
    return Declaration<MultiplierParameters>(
               "hash_64", "the product of the address with a constant that no kernel had")
        .optional(
            "multiplier", &MultiplierParameters::multiplier,
            {.help = "the constant, in the thread of the 2016 RFC", .allowed = std::move(names)});
  }
  std::uint64_t value() const {
    return std::find_if(others.begin(), others.end(),
                        [&](const Multiplier& known) { return multiplier == known.name; })
        ->value;
  }
};

const Declaration<NoParameters> since_4_7("hash_long",
                                          "the product of the address with the golden "
                                          "ratio (since v4.7)");
const Register<HashFunction> hash_long{
    since_4_7, [](const NoParameters&) { return std::make_unique<HashLong>(golden_ratio_64); }};

const Declaration<NoParameters> until_4_6("hash_64_old", "hash_long until v4.6: a sparse prime");
const Register<HashFunction> hash_64_old{until_4_6, [](const NoParameters&) {
                                           return std::make_unique<HashLong>(golden_ratio_prime_64);
                                         }};

const auto any_multiplier = MultiplierParameters::declaration();
const Register<HashFunction> hash_64{any_multiplier, [](const MultiplierParameters& parameters) {
                                       return std::make_unique<HashLong>(parameters.value());
                                     }};

const Declaration<NoParameters> of_32_bits("hash_32",
                                           "the product of the address's low half with "
                                           "the golden ratio (since v4.7)");
const Register<HashFunction> hash_32{
    of_32_bits, [](const NoParameters&) { return std::make_unique<Hash32>(golden_ratio_32); }};

const Declaration<NoParameters> of_32_bits_until_4_6("hash_32_old",
                                                     "hash_32 until v4.6: a sparse prime");
const Register<HashFunction> hash_32_old{of_32_bits_until_4_6, [](const NoParameters&) {
                                           return std::make_unique<Hash32>(golden_ratio_prime_32);
                                         }};

}  // namespace
}  // namespace futexsim
