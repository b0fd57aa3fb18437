#include <utility>
#include <vector>

#include "counted_table.hpp"

namespace futexsim {
namespace {

/// mm->futex_ref and mm->futex_atomic: of a process, whichever table it has.
struct UserCounts {
  explicit UserCounts(const TableContext& context) {
    MemorySystem& memory = context.hardware.memory();
    const Topology& topology = context.hardware.topology();
    together.line = &memory.allocate(context.node);
    for (const Cpu& cpu : context.hardware.cpus()) {
      if (of_cpu.size() <= cpu.id().value) of_cpu.resize(cpu.id().value + 1);
      Word& own = of_cpu[cpu.id().value];
      own.line = &memory.allocate(topology.node_of(cpu.id()));
      memory.place(*own.line, cpu.core_id());
    }
    of_cpu[context.hardware.cpus().front().id().value].value = 1;  // the initial reference
  }

  std::vector<Word> of_cpu;  ///< by number; no line where no thread runs
  Word together;
};

/// Per-CPU counting of struct futex_private_hash (v6.17, commit 56180dd20c19): a CPU counts on its
/// own line, without LOCK, until a resize asks whether anybody is inside. Then all count together,
/// and a grace period later, when nobody counts alone any more, the CPUs' counts are added up.
///
/// A get of the count together is a load and a loop of LOCK CMPXCHG that takes no 0. Where others
/// change the count in between, its second turn finds the line that the first one brought, so it is
/// one atomic here, which a dead count undoes: as two that each travel, attempts would fail for
/// ever on machines whose lines leave sooner than an atomic takes.
///
/// The RCU callbacks run in the first operation of the process that comes after their time: before
/// it nobody could tell. The table is taken as older than a grace period when its resize starts.
class PerCpuCount final : public ReferenceCount {
 public:
  PerCpuCount(CacheLine& header, std::shared_ptr<UserCounts> counts, Picoseconds resize_at,
              Picoseconds grace_period)
      : counts_(std::move(counts)),
        next_step_(resize_at),
        grace_period_(grace_period),
        state_{.line = &header, .value = percpu},
        hash_mask_{.line = &header} {}

  Task<> read_mask(Cpu& cpu) override { co_await cpu.load(hash_mask_); }

  /// futex_ref_get().
  Task<bool> get(Cpu& cpu) override {
    if (cpu.now() >= next_step_) co_await advance(cpu);
    const std::uint32_t state = co_await cpu.load(state_);
    if (state == percpu) {
      co_await count(cpu, 1);
      co_return true;
    }
    // atomic_long_inc_not_zero()
    const std::uint32_t users = co_await cpu.load(counts_->together);
    if (users == 0 || dead_) co_return false;
    co_await cpu.fetch_add(counts_->together, 1);
    co_return !dead_;
  }

  /// futex_ref_put().
  Task<> put(Cpu& cpu) override {
    const std::uint32_t state = co_await cpu.load(state_);
    if (state == percpu) {
      co_await count(cpu, ~0U);
    } else {
      const std::uint32_t users = co_await cpu.fetch_add(counts_->together, ~0U);
      if (users == 1) dead_ = true;
    }
  }

 private:
  // FR_PERCPU and FR_ATOMIC; LONG_MAX of a 32-bit counter.
  static constexpr std::uint32_t percpu = 0;
  static constexpr std::uint32_t atomic = 1;
  static constexpr std::uint32_t bias = 0x7fff'ffff;

  /// __this_cpu_add(), in an RCU read-side critical section.
  Task<> count(Cpu& cpu, std::uint32_t delta) {
    ++counting_alone_;
    Word& own = counts_->of_cpu[cpu.id().value];
    const std::uint32_t users = co_await cpu.load(own);
    co_await cpu.store(own, users + delta);
    --counting_alone_;
  }

  /// __futex_ref_atomic_begin() or, once a grace period is over, __futex_ref_atomic_end().
  Task<> advance(Cpu& cpu) {
    next_step_ = CountedTableParameters::never;
    if (state_.value == percpu) {
      co_await cpu.store(counts_->together, bias);
      co_await cpu.store(state_, atomic);
      next_step_ = cpu.now() + grace_period_;
    } else if (counting_alone_ != 0) {
      next_step_ = cpu.now();
    } else {
      co_await add_up(cpu);
    }
  }

  /// Takes the initial reference, too.
  Task<> add_up(Cpu& cpu) {
    std::uint32_t users = 0;
    for (Word& of_cpu : counts_->of_cpu) {
      if (of_cpu.line == nullptr) continue;
      const std::uint32_t found = co_await cpu.load(of_cpu);
      users += found;
      co_await cpu.store(of_cpu, 0);
    }
    co_await cpu.store(counts_->of_cpu[cpu.id().value], 1);
    const std::uint32_t biased = co_await cpu.fetch_add(counts_->together, users - bias - 1);
    if (biased + users == bias + 1) dead_ = true;
  }

  std::shared_ptr<UserCounts> counts_;
  Picoseconds next_step_;
  Picoseconds grace_period_;
  Word state_;
  Word hash_mask_;
  std::uint32_t counting_alone_ = 0;
  bool dead_ = false;  ///< the count together has been 0, and is nothing any more
};

/// One table for each process that can be replaced, at hardly any cost while nobody does.
class PerCpuTable final : public CountedTable {
 public:
  PerCpuTable(const CountedTableParameters& parameters, const TableContext& context)
      : PerCpuTable(parameters, context, std::make_shared<UserCounts>(context)) {}
  PerCpuTable(const CountedTableParameters& parameters, const TableContext& context,
              const std::shared_ptr<UserCounts>& counts)
      : CountedTable(parameters, context),
        counts_(counts),
        references_(header(), counts, parameters.resize_at(), context.grace_period) {}

  ReferenceCount* references() override { return &references_; }
  std::unique_ptr<FutexTable> replacement() override {
    return std::make_unique<PerCpuTable>(parameters().of_replacement(), context(), counts_);
  }

 private:
  std::shared_ptr<UserCounts> counts_;
  PerCpuCount references_;
};

const auto declaration = CountedTableParameters::declaration(
    "percpu", "a table for each process that counts its users CPU by CPU (since v6.17)");
const Register<TablePolicy> percpu{declaration, CountedPolicy<PerCpuTable>::make};

}  // namespace
}  // namespace futexsim
