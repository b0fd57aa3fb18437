#include "futexsim/kernel/hash_function.hpp"
#include "siphash.hpp"

namespace futexsim {
namespace {

// A kernel draws one at boot. Here mm and heap already differ from run to run, so that one key is
// as good as another; this is the one of the published test vectors.
constexpr std::array<std::uint64_t, 2> secret{0x0706'0504'0302'0100, 0x0f0e'0d0c'0b0a'0908};

/// siphash(), SipHash-2-4; the low half. Takes the whole key: mm, page, offset.
class SipHash24 final : public HashFunction {
 public:
  std::uint32_t hash(const FutexKey& key, unsigned) const override {
    return static_cast<std::uint32_t>(siphash<2, 4>(bytes_of(key), secret));
  }
  HashCost cost() const override { return {60, "Zen 3, 199 instructions, 18-19 ns"}; }
};

/// hsiphash(), which is SipHash-1-3 on a 64-bit machine (lib/siphash.c); the low half. Takes the
/// whole key: mm, page, offset.
class SipHash13 final : public HashFunction {
 public:
  std::uint32_t hash(const FutexKey& key, unsigned) const override {
    return static_cast<std::uint32_t>(siphash<1, 3>(bytes_of(key), secret));
  }
  HashCost cost() const override { return {35, "Zen 3, 110 instructions, 10.9 ns"}; }
};

const Declaration<NoParameters> two_four("siphash", "SipHash-2-4 of mm, page and offset");
const Register<HashFunction> siphash24{
    two_four, [](const NoParameters&) { return std::make_unique<SipHash24>(); }};

const Declaration<NoParameters> one_three("hsiphash", "SipHash-1-3 of mm, page and offset");
const Register<HashFunction> siphash13{
    one_three, [](const NoParameters&) { return std::make_unique<SipHash13>(); }};

}  // namespace
}  // namespace futexsim
