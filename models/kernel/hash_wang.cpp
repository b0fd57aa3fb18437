#include "futexsim/kernel/hash_function.hpp"
#include "key_bytes.hpp"

namespace futexsim {
namespace {

/// Thomas Wang's mix of 64 bits to 32, proposed for hash_64() in the thread of the 2016 RFC.
/// Takes the user address: page + offset.
class Wang final : public HashFunction {
 public:
  std::uint32_t hash(const FutexKey& key, unsigned) const override {
    std::uint64_t mixed = uaddr(key);
    mixed = ~mixed + (mixed << 18);
    mixed ^= mixed >> 31;
    mixed *= 21;
    mixed ^= mixed >> 11;
    mixed += mixed << 6;
    mixed ^= mixed >> 22;
    return static_cast<std::uint32_t>(mixed);
  }
  HashCost cost() const override { return {10, "Zen 3, 21 instructions, 2.8 ns"}; }
};

const Declaration<NoParameters> declaration("wang", "Wang's mix of the address to 32 bits");
const Register<HashFunction> wang{declaration,
                                  [](const NoParameters&) { return std::make_unique<Wang>(); }};

}  // namespace
}  // namespace futexsim
