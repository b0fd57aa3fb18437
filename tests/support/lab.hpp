#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "futexsim/hardware/machine.hpp"
#include "futexsim/kernel/scheduler.hpp"
#include "futexsim/kernel/spin_lock.hpp"
#include "futexsim/kernel/thread.hpp"
#include "test_machine.hpp"

/// So that a failed check prints nanoseconds.
namespace futexsim {
inline std::ostream& operator<<(std::ostream& out, Picoseconds t) {
  return out << in_nanoseconds(t) << " ns";
}
}  // namespace futexsim

namespace futexsim {

/// A machine at work: the first `cpus` CPUs in use, and variables that a test
/// places by hand.
class Lab {
 public:
  explicit Lab(const TestMachine& machine, std::uint32_t cpus)
      : Lab(machine.machine(), first_cpus(machine.machine(), cpus)) {}
  /// Any machine, and the CPUs in use by name.
  Lab(Machine machine, const std::vector<CpuId>& cpus)
      : machine_(std::move(machine)),
        // The alarm, and the timers of a kernel.
        simulation_(static_cast<std::uint32_t>(cpus.size()) * Hardware::actors_per_cpu + 2),
        hardware_(simulation_, machine_, cpus) {
    simulation_.join(alarm_);
  }

  /// By their order in the lab.
  virtual ~Lab() = default;

  Cpu& cpu(std::uint32_t number) { return hardware_.cpus()[number]; }
  /// A thread on that CPU, of one process for all.
  Thread& thread(std::uint32_t number) {
    if (threads_.empty()) {
      Mm& process = mm();
      for (Cpu& cpu : hardware_.cpus()) {
        threads_.emplace_back(static_cast<std::uint32_t>(threads_.size()), process, cpu);
      }
    }
    return threads_[number];
  }
  Simulation& simulation() { return simulation_; }
  Hardware& hardware() { return hardware_; }
  MemorySystem& memory() { return hardware_.memory(); }
  const Machine& machine() const { return machine_; }

  /// A variable on a line of its own that nobody caches.
  Word& word(std::uint32_t home = 0) {
    return words_.emplace_back(Word{.line = &memory().allocate({home})});
  }
  /// The same, last written by CPU `owner`.
  Word& word_owned_by(std::uint32_t owner, std::uint32_t home = 0) {
    Word& word = this->word(home);
    memory().place(*word.line, cpu(owner).core_id());
    return word;
  }
  /// Another variable on the same line.
  Word& beside(const Word& other) { return words_.emplace_back(Word{.line = other.line}); }

  /// The program of a CPU, which begins at `at`.
  void start(std::uint32_t number, Task<> program, Picoseconds at = {}) {
    cpu(number).start(std::move(program), at);
  }

  /// The same as the program of the CPU's thread, for whom the scheduler is there.
  void start_thread(std::uint32_t number, Task<> program, Picoseconds at = {}) {
    scheduler().start(thread(number), std::move(program), at);
  }
  virtual Scheduler& scheduler() {
    if (!scheduler_)
      scheduler_.emplace(SchedulerTimes(machine_, nanoseconds(3'000'000)), hardware_);
    return *scheduler_;
  }
  /// What locks are made on.
  LockContext locks() { return {hardware_, scheduler()}; }

  /// Lets everything happen that happens up to and at `time`.
  void run_until(Picoseconds time) {
    alarm_.rang = false;
    simulation_.schedule(alarm_, time);
    while (!alarm_.rang) simulation_.step();
  }
  /// Until nothing is left to happen; false if that takes more than `events`.
  bool run_to_end(std::uint64_t events = 10'000'000) {
    for (; events > 0; --events) {
      if (!simulation_.step()) return true;
    }
    return false;
  }

  bool hits(const Word& word, std::uint32_t number, Access access) {
    return memory().hits(*word.line, cpu(number).core_id(), access);
  }
  bool can_read(const Word& word, std::uint32_t number) { return hits(word, number, Access::read); }
  bool can_write(const Word& word, std::uint32_t number) {
    return hits(word, number, Access::write);
  }
  std::uint64_t transfers(Distance distance) {
    return memory().counts().transfers[static_cast<std::size_t>(distance)];
  }

 protected:
  /// The process, when it is first asked for.
  virtual Mm& mm() { return mm_.emplace(0, NodeId{0}, random_); }

  RandomStream random_{1, "mm"};

 private:
  /// Joins last, so it rings after everything else at its time.
  struct Alarm final : Actor {
    void fire() override { rang = true; }
    bool rang = false;
  };

  static std::vector<CpuId> first_cpus(const Machine& machine, std::uint32_t count) {
    if (count > machine.topology().cpus()) throw std::logic_error("a lab without so many CPUs");
    const auto online = machine.topology().online();
    return {online.begin(), online.begin() + count};
  }

  std::optional<Mm> mm_;
  std::deque<Thread> threads_;
  Machine machine_;
  Simulation simulation_;
  Hardware hardware_;
  Alarm alarm_;
  std::optional<Scheduler> scheduler_;
  std::deque<Word> words_;
};

// Programs of one access, which note when it was done.

inline Task<> read_once(Cpu& cpu, Word& word, Picoseconds& done) {
  co_await cpu.load(word);
  done = cpu.now();
}

inline Task<> add_once(Cpu& cpu, Word& word, Picoseconds& done) {
  co_await cpu.fetch_add(word, 1);
  done = cpu.now();
}

}  // namespace futexsim
