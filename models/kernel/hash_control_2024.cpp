#include <algorithm>
#include <bit>
#include <cerrno>

#include "futexsim/kernel/hash_control.hpp"

namespace futexsim {
namespace {

struct Parameters {
  std::string automatic = "first-thread";
  bool real_time = false;
  bool fail_allocation = false;
};

/// RFC v2 of 2024: prctl(74) for the group leader, and a table when the first thread is created.
/// Without one the process stays at the global table, and the next thread tries again.
class Prctl2024 final : public HashControl {
 public:
  Prctl2024(const Parameters& parameters, const HashControlContext& context)
      : parameters_(parameters), automatic_(context.automatic.buckets(context.topology, 1)) {}

  std::uint32_t slots() const override { return slots_; }

  int prctl(int option, std::uint64_t operation, std::uint64_t arg3, std::uint64_t) override {
    if (option != pr_futex_hash) return -EINVAL;
    if (operation == is_shared) return static_cast<int>(slots_);
    if (operation != allocate_operation) return -EINVAL;
    if (slots_ != 0) return -EALREADY;
    return allocate(std::clamp<std::uint64_t>(std::bit_floor(arg3), least, most));
  }

  void futex_operation() override {
    if (slots_ != 0) {
      count_use();
    } else {
      used_global_ = true;
    }
  }

  int clone() override {
    ++threads_;
    const std::string& when = parameters_.automatic;
    const bool wanted = when == "first-thread" || (when == "real-time" && parameters_.real_time) ||
                        (when == "before-global-use" && !used_global_);
    if (wanted && slots_ == 0) allocate(automatic_);
    return 0;
  }

 private:
  static constexpr int pr_futex_hash = 74;
  static constexpr std::uint64_t allocate_operation = 1;  // PR_FUTEX_HASH_ALLOCATE
  static constexpr std::uint64_t is_shared = 2;           // PR_FUTEX_HASH_IS_SHARED
  static constexpr std::uint64_t least = 2;
  static constexpr std::uint64_t most = 16;

  int allocate(std::uint64_t slots) {
    if (parameters_.fail_allocation) return -ENOMEM;
    slots_ = static_cast<std::uint32_t>(slots);
    count_allocation();
    return 0;
  }

  Parameters parameters_;
  std::uint32_t automatic_;
  std::uint32_t slots_ = 0;
  bool used_global_ = false;
};

const auto declaration =
    Declaration<Parameters>("prctl-2024",
                            "prctl(74) as in RFC v2 of 2024; a table with the first "
                            "thread, or as was proposed in its thread")
        .optional("automatic", &Parameters::automatic,
                  {.help = "which processes get a table with their first thread: all; those of "
                           "real-time threads; those that haven't used a private futex in the "
                           "global table",
                   .allowed = {"first-thread", "real-time", "before-global-use", "never"}})
        .optional("real_time", &Parameters::real_time,
                  {.help = "the process's threads are real-time threads"})
        .optional("fail_allocation", &Parameters::fail_allocation,
                  {.help = "no table ever finds memory"});
const Register<HashControl, const HashControlContext&> prctl_2024{
    declaration, [](const Parameters& parameters, const HashControlContext& context) {
      return std::make_unique<Prctl2024>(parameters, context);
    }};

}  // namespace
}  // namespace futexsim
