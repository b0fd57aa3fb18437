// What system calls make of a process's table, kernel by kernel.

#include "futexsim/kernel/hash_control.hpp"

#include <doctest/doctest.h>

#include <cerrno>

#include "../support/test_machine.hpp"

using namespace futexsim;

namespace {

/// A process on a machine of 32 CPUs in 2 nodes.
struct TestProcess {
  explicit TestProcess(const nlohmann::json& control, const nlohmann::json& sizing = "4-per-thread")
      : machine(TestMachine{}.nodes(2).cores_per_node(8).threads_per_core(2).machine()),
        rule(SizingChoice(Document("rule", sizing).cursor()).make()),
        hash(HashControlChoice(Document("control", control).cursor())
                 .make({machine.topology(), *rule})) {}

  int set_slots(std::uint64_t slots, std::uint64_t flags = 0) {
    return hash->prctl(78, 1, slots, flags);
  }
  int get_slots() { return hash->prctl(78, 2, 0, 0); }
  int get_immutable() { return hash->prctl(78, 3, 0, 0); }
  void clone(int times) {
    for (int i = 0; i < times; ++i) CHECK(hash->clone() == 0);
  }

  Machine machine;
  std::unique_ptr<SizingRule> rule;
  std::unique_ptr<HashControl> hash;
};

const nlohmann::json series{{"name", "prctl-2025"}, {"immutable", true}};
const nlohmann::json four{{"name", "fixed"}, {"buckets", 4}};
const nlohmann::json eight{{"name", "fixed"}, {"buckets", 8}};

nlohmann::json with(nlohmann::json control, const char* key, const nlohmann::json& value) {
  control[key] = value;
  return control;
}

}  // namespace

TEST_CASE("merged: SET_SLOTS takes powers of two from 2 on, and grows or shrinks the table") {
  TestProcess process("prctl-2025");
  CHECK(process.set_slots(1) == -EINVAL);
  CHECK(process.set_slots(3) == -EINVAL);
  CHECK(process.set_slots(48) == -EINVAL);
  CHECK(process.get_slots() == 0);
  CHECK(process.set_slots(2) == 0);
  CHECK(process.get_slots() == 2);
  CHECK(process.set_slots(65536) == 0);
  CHECK(process.get_slots() == 65536);
  CHECK(process.set_slots(16) == 0);
  CHECK(process.get_slots() == 16);
  CHECK(process.hash->tables_allocated() == 3);
}

TEST_CASE("merged: the global table, once asked for, is final") {
  TestProcess process("prctl-2025");
  CHECK(process.set_slots(16) == 0);
  CHECK(process.set_slots(0) == 0);
  CHECK(process.get_slots() == 0);
  CHECK(process.set_slots(16) == -EBUSY);
  CHECK(process.set_slots(0) == -EBUSY);
  CHECK(process.set_slots(3) == -EINVAL);  // arguments are looked at first
  process.clone(40);
  CHECK(process.get_slots() == 0);
}

TEST_CASE("merged: the table comes with the first thread and grows with the others") {
  TestProcess process("prctl-2025");
  CHECK(process.get_slots() == 0);
  process.clone(1);
  CHECK(process.get_slots() == 16);
  process.clone(3);  // the fourth finds 4 threads
  CHECK(process.get_slots() == 16);
  process.clone(1);
  CHECK(process.get_slots() == 32);
  process.clone(12);  // the last finds 17
  CHECK(process.hash->threads() == 18);
  CHECK(process.get_slots() == 128);
  process.clone(100);  // no more than 4 for each of 32 CPUs
  CHECK(process.get_slots() == 128);
  CHECK(process.hash->tables_allocated() == 4);  // 16, 32, 64, 128
}

TEST_CASE("merged: a table that was asked for doesn't grow by itself, a bigger one may be there") {
  TestProcess process("prctl-2025");
  process.clone(17);
  CHECK(process.get_slots() == 128);
  CHECK(process.set_slots(4) == 0);
  process.clone(20);
  CHECK(process.get_slots() == 4);
}

TEST_CASE("merged: flags are refused, as is everything that isn't there any more") {
  TestProcess process("prctl-2025");
  CHECK(process.set_slots(16, 1) == -EINVAL);
  CHECK(process.set_slots(16, 2) == -EINVAL);
  CHECK(process.get_immutable() == -EINVAL);
  CHECK(process.hash->prctl(78, 4, 0, 0) == -EINVAL);
  CHECK(process.hash->prctl(77, 1, 16, 0) == -EINVAL);
  CHECK(process.hash->prctl(74, 1, 16, 0) == -EINVAL);
}

TEST_CASE("v11 and v6.16: an immutable table stays") {
  TestProcess process(series);
  CHECK(process.get_immutable() == 0);
  CHECK(process.set_slots(16) == 0);
  CHECK(process.get_immutable() == 0);
  CHECK(process.set_slots(32, 1) == 0);
  CHECK(process.get_immutable() == 1);
  CHECK(process.set_slots(64) == -EBUSY);
  CHECK(process.set_slots(0) == -EBUSY);
  CHECK(process.set_slots(64, 2) == -EINVAL);
  CHECK(process.set_slots(64, 3) == -EINVAL);
  process.clone(40);
  CHECK(process.get_slots() == 32);
}

TEST_CASE("v11 and v6.16: the global table counts as immutable") {
  TestProcess process(series);
  CHECK(process.set_slots(0) == 0);
  CHECK(process.get_immutable() == 1);
}

TEST_CASE("v10 of the series has another number") {
  TestProcess process(with(series, "option", 77));
  CHECK(process.hash->option_of_perf() == 77);
  CHECK(process.hash->prctl(77, 1, 16, 0) == 0);
  CHECK(process.hash->prctl(77, 2, 0, 0) == 16);
  CHECK(process.set_slots(16) == -EINVAL);
}

TEST_CASE("where private hashes aren't configured, as in v6.16, none can be had") {
  TestProcess process(with(series, "configured", false));
  CHECK(process.set_slots(16) == -EINVAL);
  CHECK(process.set_slots(0) == -EINVAL);
  CHECK(process.get_slots() == 0);
  process.clone(40);
  CHECK(process.get_slots() == 0);
}

TEST_CASE("2025: without memory SET_SLOTS and clone() fail, and the table stays as it was") {
  TestProcess process(with(series, "fail_allocation", true));
  CHECK(process.set_slots(16) == -ENOMEM);
  CHECK(process.hash->clone() == -ENOMEM);
  CHECK(process.hash->threads() == 1);
  CHECK(process.get_slots() == 0);
  CHECK(process.hash->tables_allocated() == 0);
  TestProcess rich("prctl-2025");
  CHECK(rich.set_slots(std::uint64_t{1} << 40) == -ENOMEM);
}

TEST_CASE("2024: ALLOCATE rounds down, between 2 and 16, and only once") {
  const auto slots_for = [](std::uint64_t asked) {
    TestProcess process("prctl-2024", four);
    CHECK(process.hash->prctl(74, 1, asked, 0) == 0);
    return process.hash->prctl(74, 2, 0, 0);
  };
  CHECK(slots_for(1) == 2);
  CHECK(slots_for(2) == 2);
  CHECK(slots_for(3) == 2);
  CHECK(slots_for(7) == 4);
  CHECK(slots_for(15) == 8);
  CHECK(slots_for(16) == 16);
  CHECK(slots_for(1000) == 16);
  TestProcess process("prctl-2024", four);
  CHECK(process.hash->prctl(74, 1, 8, 0) == 0);
  CHECK(process.hash->prctl(74, 1, 8, 0) == -EALREADY);
  CHECK(process.hash->prctl(74, 3, 8, 0) == -EINVAL);
  CHECK(process.hash->prctl(78, 1, 8, 0) == -EINVAL);
  process.clone(9);
  CHECK(process.hash->slots() == 8);
  CHECK_FALSE(process.hash->option_of_perf().has_value());
}

TEST_CASE("2024: the first thread brings 4 slots, which then can't be had otherwise") {
  TestProcess process("prctl-2024", four);
  CHECK(process.hash->slots() == 0);
  process.clone(1);
  CHECK(process.hash->slots() == 4);
  CHECK(process.hash->prctl(74, 1, 16, 0) == -EALREADY);
  process.clone(30);
  CHECK(process.hash->slots() == 4);
  CHECK(process.hash->tables_allocated() == 1);
}

TEST_CASE("2024: without memory the process stays at the global table") {
  TestProcess process({{"name", "prctl-2024"}, {"fail_allocation", true}}, four);
  CHECK(process.hash->prctl(74, 1, 4, 0) == -ENOMEM);
  process.clone(2);
  CHECK(process.hash->slots() == 0);
  process.hash->futex_operation();
  CHECK(process.hash->tables_used() == 0);
}

TEST_CASE("2024, proposed: a table only for real-time processes") {
  nlohmann::json control{{"name", "prctl-2024"}, {"automatic", "real-time"}};
  TestProcess other(control, four);
  other.clone(2);
  CHECK(other.hash->slots() == 0);
  control["real_time"] = true;
  TestProcess real_time(control, four);
  real_time.clone(2);
  CHECK(real_time.hash->slots() == 4);
}

TEST_CASE("2024, proposed: none once a private futex went to the global table") {
  const nlohmann::json control{{"name", "prctl-2024"}, {"automatic", "before-global-use"}};
  TestProcess early(control, four);
  early.hash->futex_operation();
  early.clone(2);
  CHECK(early.hash->slots() == 0);
  TestProcess late(control, four);
  late.clone(1);
  late.hash->futex_operation();
  CHECK(late.hash->slots() == 4);
}

TEST_CASE("2016: 8 slots at the first futex operation") {
  TestProcess process("futex-prealloc", eight);
  process.clone(5);
  CHECK(process.hash->slots() == 0);
  process.hash->futex_operation();
  CHECK(process.hash->slots() == 8);
  CHECK(process.hash->tables_allocated() == 1);
  CHECK(process.hash->tables_used() == 1);
}

TEST_CASE("2016: FUTEX_PREALLOC_HASH rounds up, from 4 to 256, and the first call wins") {
  const auto slots_for = [](std::uint32_t asked) {
    return TestProcess("futex-prealloc", eight).hash->futex_prealloc_hash(asked);
  };
  CHECK(slots_for(1) == 4);
  CHECK(slots_for(5) == 8);
  CHECK(slots_for(9) == 16);
  CHECK(slots_for(129) == 256);
  CHECK(slots_for(257) == 256);
  TestProcess process("futex-prealloc", eight);
  CHECK(process.hash->futex_prealloc_hash(32) == 32);
  CHECK(process.hash->futex_prealloc_hash(64) == 32);
  process.hash->futex_operation();
  CHECK(process.hash->slots() == 32);
  CHECK(process.hash->prctl(78, 1, 16, 0) == -EINVAL);
}

TEST_CASE("2016: sysctls set the default and the limit, in bits") {
  const std::string default_bits = "kernel.futex_private_default_hash_bits";
  const std::string max_bits = "kernel.futex_private_max_hash_bits";
  TestProcess process("futex-prealloc", eight);
  CHECK(process.hash->sysctl(default_bits, 1) == -EINVAL);
  CHECK(process.hash->sysctl(max_bits, 9) == -EINVAL);
  CHECK(process.hash->sysctl("kernel.panic", 2) == -ENOENT);
  CHECK(process.hash->sysctl(max_bits, 5) == 0);
  CHECK(process.hash->sysctl(default_bits, 6) == -EINVAL);
  CHECK(process.hash->sysctl(default_bits, 2) == 0);
  process.hash->futex_operation();
  CHECK(process.hash->slots() == 4);
  TestProcess limited("futex-prealloc", eight);
  CHECK(limited.hash->sysctl(max_bits, 5) == 0);
  CHECK(limited.hash->futex_prealloc_hash(256) == 32);
}

TEST_CASE("2016: without memory the process stays at the global table for good") {
  TestProcess process({{"name", "futex-prealloc"}, {"fail_allocation", true}}, eight);
  CHECK(process.hash->futex_prealloc_hash(16) == 0);
  process.hash->futex_operation();
  CHECK(process.hash->slots() == 0);
  CHECK(process.hash->tables_used() == 0);
}

TEST_CASE("2024 and 2025 have neither operation 13 nor the sysctls of 2016") {
  for (const char* const control : {"prctl-2024", "prctl-2025"}) {
    TestProcess process(control, four);
    CHECK(process.hash->futex_prealloc_hash(16) == -ENOSYS);
    CHECK(process.hash->sysctl("kernel.futex_private_max_hash_bits", 4) == -ENOENT);
  }
}

TEST_CASE("tables that no operation used were allocated for nothing") {
  TestProcess process("prctl-2025");
  process.clone(17);
  CHECK(process.hash->tables_allocated() == 4);
  CHECK(process.hash->tables_used() == 0);
  process.hash->futex_operation();
  process.hash->futex_operation();
  CHECK(process.hash->tables_used() == 1);
}
