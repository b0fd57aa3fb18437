#include "crc32.hpp"
#include "futexsim/kernel/hash_function.hpp"
#include "key_bytes.hpp"

namespace futexsim {
namespace {

/// crc32() with its slice-by-8 tables. Takes the whole key: mm, page, offset.
class Crc32Hash final : public HashFunction {
 public:
  std::uint32_t hash(const FutexKey& key, unsigned) const override {
    return Crc32Ieee::of(bytes_of(key));
  }
  HashCost cost() const override { return {44, "Zen 3, slice-by-8, 98 instructions, 12-16 ns"}; }
};

/// crc32c() by SSE 4.2's instruction, inlined: three of them, 3 cycles each on Intel's cores since
/// Nehalem and AMD's since Zen. Takes the whole key: mm, page, offset.
class Crc32cHash final : public HashFunction {
 public:
  std::uint32_t hash(const FutexKey& key, unsigned) const override {
    return Crc32Castagnoli::of(bytes_of(key));
  }
  HashCost cost() const override { return {9, "Zen 3, SSE 4.2, 5 instructions, 1.3 ns"}; }
};

const Declaration<NoParameters> ieee("crc32", "CRC-32 of mm, page and offset");
const Register<HashFunction> crc32{
    ieee, [](const NoParameters&) { return std::make_unique<Crc32Hash>(); }};

const Declaration<NoParameters> castagnoli("crc32c", "CRC-32C of mm, page and offset");
const Register<HashFunction> crc32c{
    castagnoli, [](const NoParameters&) { return std::make_unique<Crc32cHash>(); }};

}  // namespace
}  // namespace futexsim
