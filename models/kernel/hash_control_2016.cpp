#include <algorithm>
#include <bit>
#include <cerrno>

#include "futexsim/kernel/hash_control.hpp"

namespace futexsim {
namespace {

struct Parameters {
  bool fail_allocation = false;
};

/// The RFC of 2016: a table at the process's first futex operation, or as large as
/// FUTEX_PREALLOC_HASH asks before it; two sysctls. Where no memory is left, the global table for
/// good.
class FutexPrealloc final : public HashControl {
 public:
  FutexPrealloc(const Parameters& parameters, const HashControlContext& context)
      : fail_allocation_(parameters.fail_allocation),
        default_bits_(bits(context.automatic.buckets(context.topology, 1))) {}

  std::uint32_t slots() const override { return slots_; }

  int futex_prealloc_hash(std::uint32_t slots) override {
    if (!decided_) allocate(bits(slots));
    return static_cast<int>(slots_);
  }

  /// kernel.futex_private_default_hash_bits, and futex_private_max_hash_bits.
  int sysctl(const std::string& name, std::uint32_t value) override {
    const bool is_default = name == "kernel.futex_private_default_hash_bits";
    if (!is_default && name != "kernel.futex_private_max_hash_bits") return -ENOENT;
    if (value < least_bits || value > (is_default ? max_bits_ : most_bits)) return -EINVAL;
    (is_default ? default_bits_ : max_bits_) = value;
    return 0;
  }

  void futex_operation() override {
    if (!decided_) allocate(default_bits_);
    if (slots_ != 0) count_use();
  }

 private:
  static constexpr std::uint32_t least_bits = 2;
  static constexpr std::uint32_t most_bits = 8;

  /// Rounded up.
  static std::uint32_t bits(std::uint32_t slots) {
    return static_cast<std::uint32_t>(std::bit_width(std::max(slots, 1U) - 1));
  }

  void allocate(std::uint32_t bits) {
    decided_ = true;
    if (fail_allocation_) return;
    slots_ = 1U << std::clamp(bits, least_bits, max_bits_);
    count_allocation();
  }

  bool fail_allocation_;
  std::uint32_t default_bits_;
  std::uint32_t max_bits_ = most_bits;
  std::uint32_t slots_ = 0;
  bool decided_ = false;
};

const auto declaration =
    Declaration<Parameters>("futex-prealloc",
                            "FUTEX_PREALLOC_HASH and two sysctls (2016 RFC); a table at the first "
                            "futex operation")
        .optional("fail_allocation", &Parameters::fail_allocation,
                  {.help = "no table ever finds memory"});
const Register<HashControl, const HashControlContext&> futex_prealloc{
    declaration, [](const Parameters& parameters, const HashControlContext& context) {
      return std::make_unique<FutexPrealloc>(parameters, context);
    }};

}  // namespace
}  // namespace futexsim
