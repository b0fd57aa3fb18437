#include "futexsim/kernel/hash_function.hpp"
#include "key_bytes.hpp"

namespace futexsim {
namespace {

/// Bob Jenkins' mix of 32 bits in six shifts, proposed for hash_32() in the thread of the 2016 RFC.
/// Takes the low half of the user address: page + offset. Every input has an output of its own.
class Jenkins final : public HashFunction {
 public:
  std::uint32_t hash(const FutexKey& key, unsigned) const override {
    auto mixed = static_cast<std::uint32_t>(uaddr(key));
    mixed = mixed + 0x7ed55d16 + (mixed << 12);
    mixed = mixed ^ 0xc761c23c ^ (mixed >> 19);
    mixed = mixed + 0x165667b1 + (mixed << 5);
    mixed = (mixed + 0xd3a2646c) ^ (mixed << 9);
    mixed = mixed + 0xfd7046c5 + (mixed << 3);
    return mixed ^ 0xb55a4f09 ^ (mixed >> 16);
  }
  HashCost cost() const override { return {17, "Zen 3, 22 instructions, 5.4 ns"}; }
};

const Declaration<NoParameters> declaration("jenkins",
                                            "Jenkins' mix of the address's low half in six shifts");
const Register<HashFunction> jenkins{
    declaration, [](const NoParameters&) { return std::make_unique<Jenkins>(); }};

}  // namespace
}  // namespace futexsim
