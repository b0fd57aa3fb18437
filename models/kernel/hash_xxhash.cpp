#include "futexsim/kernel/hash_function.hpp"
#include "xxh64.hpp"

namespace futexsim {
namespace {

/// xxhash() of include/linux/xxhash.h, which is xxh64() on a 64-bit machine, with seed 0; the low
/// half. Takes the whole key: mm, page, offset.
class Xxhash final : public HashFunction {
 public:
  std::uint32_t hash(const FutexKey& key, unsigned) const override {
    return static_cast<std::uint32_t>(xxh64(bytes_of(key), 0));
  }
  HashCost cost() const override { return {17, "Zen 3, 40 instructions, 5.2 ns"}; }
};

const Declaration<NoParameters> declaration("xxhash", "xxh64 of mm, page and offset");
const Register<HashFunction> xxhash{declaration,
                                    [](const NoParameters&) { return std::make_unique<Xxhash>(); }};

}  // namespace
}  // namespace futexsim
