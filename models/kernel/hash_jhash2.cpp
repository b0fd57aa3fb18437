#include "futexsim/kernel/hash_function.hpp"
#include "jhash.hpp"

namespace futexsim {
namespace {

constexpr std::uint32_t low(std::uint64_t word) {
  return static_cast<std::uint32_t>(word);
}
constexpr std::uint32_t high(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}

/// futex_hash() of the global table: mm and page address, seeded with the offset.
class Jhash2 final : public HashFunction {
 public:
  std::uint32_t hash(const FutexKey& key, unsigned) const override {
    const std::array<std::uint32_t, 4> words{low(key.mm), high(key.mm), low(key.page),
                                             high(key.page)};
    return jhash2(words, key.offset);
  }
  HashCost cost() const override { return {24, "Zen 3, 69 instructions, 7.4 ns"}; }
};

/// __futex_hash_private() since v3 of the 2024 series: the page address, seeded with the offset, as
/// the mm is the same for all keys.
class Jhash2AddressOffset final : public HashFunction {
 public:
  std::uint32_t hash(const FutexKey& key, unsigned) const override {
    const std::array<std::uint32_t, 2> words{low(key.page), high(key.page)};
    return jhash2(words, key.offset);
  }
  HashCost cost() const override { return {11, "Zen 3, 33 instructions, 3.4 ns"}; }
};

const Declaration<NoParameters> whole_key("jhash2", "jhash2 of mm and page, seeded with offset");
const Register<HashFunction> jhash2_whole_key{
    whole_key, [](const NoParameters&) { return std::make_unique<Jhash2>(); }};

const Declaration<NoParameters> address_offset("jhash2_addr_offs",
                                               "jhash2 of the page, seeded with the offset");
const Register<HashFunction> jhash2_address_offset{
    address_offset, [](const NoParameters&) { return std::make_unique<Jhash2AddressOffset>(); }};

}  // namespace
}  // namespace futexsim
