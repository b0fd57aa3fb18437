// Two buckets that many threads want: which steps of an operation move the
// bucket's line.

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <set>
#include <string>

#include "../support/futex_hash_lab.hpp"

using namespace futexsim;

namespace {

constexpr std::uint32_t locked = 0xff, pending = 0xff00, tail = 0xffff'0000;

/// The step that turned one state of a bucket into the next, when a line came
/// for a write.
std::string step(bool by_store, std::uint32_t waiters_before, std::uint32_t waiters,
                 std::uint32_t lock_before, std::uint32_t lock) {
  if (waiters == waiters_before + 1) return "waiters++";
  if (waiters + 1 == waiters_before) return "waiters--";
  if (by_store) {
    if ((lock_before & locked) != 0 && (lock & locked) == 0) return "unlock";
    if ((lock_before & pending) != 0 && (lock & locked) != 0) return "pending takes the lock";
    if ((lock & locked) != 0 && (lock_before & locked) == 0) return "set_locked";
    return "pending taken back, or two stores at once";
  }
  if ((lock & tail) != (lock_before & tail))
    return (lock & tail) != 0 ? "tail xchg" : "head's cmpxchg";
  if ((lock & pending) != (lock_before & pending)) return "pending set";
  return "cmpxchg, or pending found set";
}

/// Per operation: lines that came, by step and whether from another core.
struct Changes {
  std::map<std::string, double> by_step;
  double writes = 0, reads = 0;
};

Changes count_changes(FutexHashLab& lab, std::uint64_t operations) {
  struct Watched {
    HashBucket* bucket;
    const LineRequest* write_in_flight;
    std::uint32_t reads_in_flight;
    Picoseconds lost_at;
    CacheLine::State state;
    CoreId responder;
    std::uint32_t waiters, lock;
  };
  const auto look = [](HashBucket& bucket) {
    const CacheLine& line = *bucket.lock.line;
    return Watched{&bucket,    line.write_in_flight, line.reads_in_flight, line.lost_at,
                   line.state, line.responder,       bucket.waiters.value, bucket.lock.value};
  };
  std::vector<Watched> watched;
  std::set<HashBucket*> buckets;
  for (std::uint32_t futex = 0; futex < 1024; ++futex) {
    buckets.insert(&lab.bucket_of(0, futex));
  }
  for (HashBucket* const bucket : buckets) watched.push_back(look(*bucket));

  Changes changes;
  const std::uint64_t begin = lab.workload().operations();
  while (lab.workload().operations() < begin + operations) {
    REQUIRE(lab.simulation().step());
    for (Watched& before : watched) {
      const Watched now = look(*before.bucket);
      const bool written =
          before.write_in_flight != nullptr &&
          (now.write_in_flight != before.write_in_flight || now.lost_at != before.lost_at);
      if (now.reads_in_flight < before.reads_in_flight) {
        changes.reads += before.reads_in_flight - now.reads_in_flight;
      } else if (written && !(before.state == CacheLine::State::exclusive &&
                              before.responder == now.responder)) {
        const bool by_store = dynamic_cast<Cpu*>(before.write_in_flight->requester) == nullptr;
        changes.writes += 1;
        changes.by_step[step(by_store, before.waiters, now.waiters, before.lock, now.lock)] += 1;
      }
      before = now;
    }
  }
  const auto done = static_cast<double>(lab.workload().operations() - begin);
  for (auto& [name, count] : changes.by_step) count /= done;
  changes.writes /= done;
  changes.reads /= done;
  return changes;
}

/// Two sockets of eight cores with siblings.
TestMachine machine() {
  return TestMachine{}
      .nodes(2)
      .cores_per_node(8)
      .threads_per_core(2)
      .smt_speed(0.7)
      .same_l3(50)
      .other_l3(50)
      .crossing(90)
      .hold_window(12)
      .atomic(8)
      .plain(1);
}

void check_changes(const std::string& name, const TestKernel& kernel, std::uint32_t threads) {
  FutexHashLab lab(machine(), kernel, threads, 1);
  REQUIRE(lab.run_operations(2000));
  const Changes changes = count_changes(lab, 10'000);
  std::string table;
  for (const auto& step : changes.by_step) {
    table += "\n  " + std::to_string(step.second) + "  " + step.first;
    CHECK_MESSAGE(step.second <= 1.0, step.first);
  }
  MESSAGE(name << ", " << threads << " threads: " << changes.writes
               << " changes of owner per operation, " << changes.reads << " reads" << table);
  CHECK(changes.writes > 1);
  // Never held by more operations than there are buckets.
  CHECK(lab.kernel().acquires() - lab.kernel().releases() <= 2);
}

}  // namespace

TEST_CASE(
    "no step of an operation changes the owner of its bucket's line more "
    "than once") {
  check_changes("2024, 2 buckets", TestKernel::shipped("2024-rfc-v2").policy("private", 2), 28);
  check_changes("2025, 2 buckets", TestKernel::shipped("2025-series").policy("immutable", 2), 28);
}

TEST_CASE("alone with its buckets a thread moves no line") {
  FutexHashLab lab(machine(), TestKernel{}.policy("private", 2), 1, 1);
  CHECK(lab.run_operations(10));
  const auto before = lab.memory().counts().transfers;
  CHECK(lab.run_operations(1000));
  CHECK(lab.memory().counts().transfers == before);
}
