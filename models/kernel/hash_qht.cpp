#include "futexsim/kernel/hash_function.hpp"
#include "key_bytes.hpp"

namespace futexsim {
namespace {

/// The multiplication of the IDEA cipher: modulo 2^16 + 1, where 0 stands for 2^16.
std::uint32_t idea_multiply(std::uint32_t a, std::uint32_t b) {
  constexpr std::uint64_t zero = 1U << 16;
  const std::uint64_t product = (a == 0 ? zero : a) * (b == 0 ? zero : b);
  return static_cast<std::uint32_t>(product % (zero + 1)) & 0xffffU;
}

/// The "quasi-Hadamard transform" that Sandy Harris proposed in the thread of the 2016 RFC (12 June
/// 2016): halves a and b become ab and ab^2 in IDEA's multiplication. Takes the low half of the
/// user address: page + offset. Every input has an output of its own.
class Qht final : public HashFunction {
 public:
  std::uint32_t hash(const FutexKey& key, unsigned) const override {
    const auto address = static_cast<std::uint32_t>(uaddr(key));
    const std::uint32_t low = address & 0xffffU;
    const std::uint32_t high = idea_multiply(address >> 16, low);
    return (high << 16) | idea_multiply(high, low);
  }
  HashCost cost() const override {
    return {22, "from a Zen 5, 25 instructions, 1.5 times jenkins, 1.9 times wang"};
  }
};

const Declaration<NoParameters> declaration(
    "qht", "Harris' mix of the address's low half by IDEA's multiplication");
const Register<HashFunction> qht{declaration,
                                 [](const NoParameters&) { return std::make_unique<Qht>(); }};

}  // namespace
}  // namespace futexsim
