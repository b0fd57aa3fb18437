#include <bit>
#include <cerrno>

#include "futexsim/kernel/hash_control.hpp"

namespace futexsim {
namespace {

struct Parameters {
  std::uint32_t option = 78;
  bool configured = true;
  bool immutable = false;
  bool fail_allocation = false;
};

/// futex_hash_prctl() and futex_hash_allocate_default() of the 2025 series and since. A table that
/// was asked for stays as it is but for another request; none at all, once asked for, stays for
/// good.
class Prctl2025 final : public HashControl {
 public:
  Prctl2025(const Parameters& parameters, const HashControlContext& context)
      : parameters_(parameters), context_(context) {}

  std::optional<int> option_of_perf() const override {
    return static_cast<int>(parameters_.option);
  }
  std::uint32_t slots() const override { return slots_; }

  int prctl(int option, std::uint64_t operation, std::uint64_t arg3, std::uint64_t arg4) override {
    if (option != static_cast<int>(parameters_.option)) return -EINVAL;
    if (operation == set_slots) return request(arg3, arg4);
    if (operation == get_slots) return static_cast<int>(slots_);
    if (operation == get_immutable && parameters_.immutable) return immutable_ || global_ ? 1 : 0;
    return -EINVAL;
  }

  void futex_operation() override {
    if (slots_ != 0) count_use();
  }

  /// With the threads that exist before it; the table never shrinks.
  int clone() override {
    if (parameters_.configured && !asked_for_) {
      const std::uint32_t wanted = context_.automatic.buckets(context_.topology, threads_);
      if (wanted > slots_) {
        const int failure = allocate(wanted);
        if (failure != 0) return failure;
      }
    }
    ++threads_;
    return 0;
  }

 private:
  static constexpr std::uint64_t get_slots = 2;           // PR_FUTEX_HASH_GET_SLOTS
  static constexpr std::uint64_t get_immutable = 3;       // PR_FUTEX_HASH_GET_IMMUTABLE
  static constexpr std::uint64_t most_memory = 1U << 31;  // there is no limit beside memory

  int request(std::uint64_t slots, std::uint64_t flags) {
    if (!parameters_.configured) return -EINVAL;
    if ((flags & ~(parameters_.immutable ? flag_immutable : 0)) != 0) return -EINVAL;
    if (slots == 1 || (slots != 0 && !std::has_single_bit(slots))) return -EINVAL;
    if (global_ || immutable_) return -EBUSY;
    if (slots > most_memory) return -ENOMEM;
    const int failure = allocate(static_cast<std::uint32_t>(slots));
    if (failure != 0) return failure;
    asked_for_ = true;
    global_ = slots == 0;
    immutable_ = (flags & flag_immutable) != 0;
    return 0;
  }

  int allocate(std::uint32_t slots) {
    if (parameters_.fail_allocation) return -ENOMEM;
    slots_ = slots;
    if (slots != 0) count_allocation();
    return 0;
  }

  Parameters parameters_;
  HashControlContext context_;
  std::uint32_t slots_ = 0;
  bool asked_for_ = false;
  bool global_ = false;
  bool immutable_ = false;
};

const auto declaration =
    Declaration<Parameters>("prctl-2025",
                            "prctl(PR_FUTEX_HASH) since v10 of the 2025 series; a "
                            "table with the first thread, which grows with them")
        .optional(
            "option", &Parameters::option,
            {.help = "PR_FUTEX_HASH: 77 in v10 of the series, 78 as merged", .min = 77, .max = 78})
        .optional("configured", &Parameters::configured,
                  {.help = "CONFIG_FUTEX_PRIVATE_HASH, which v6.16 can't have"})
        .optional("immutable", &Parameters::immutable,
                  {.help = "FH_FLAG_IMMUTABLE and GET_IMMUTABLE (until v6.16)"})
        .optional("fail_allocation", &Parameters::fail_allocation,
                  {.help = "no table ever finds memory"});
const Register<HashControl, const HashControlContext&> prctl_2025{
    declaration, [](const Parameters& parameters, const HashControlContext& context) {
      return std::make_unique<Prctl2025>(parameters, context);
    }};

}  // namespace
}  // namespace futexsim
