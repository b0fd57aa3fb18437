// Buckets that kernels give unasked.

#include "futexsim/kernel/sizing.hpp"

#include <doctest/doctest.h>

#include "../parts/message_of.hpp"
#include "../support/futex_hash_lab.hpp"
#include "futexsim/kernel/kernel.hpp"

using namespace futexsim;

namespace {

std::uint32_t buckets(const nlohmann::json& rule, const Machine& machine, std::uint32_t threads) {
  return SizingChoice(Document("rule", rule).cursor()).make()->buckets(machine.topology(), threads);
}

Machine machine(std::uint32_t nodes, std::uint32_t cores_per_node, std::uint32_t smt) {
  return TestMachine{}.nodes(nodes).cores_per_node(cores_per_node).threads_per_core(smt).machine();
}

KernelParameters shipped(const std::string& name) {
  const Document file = Document::read(FUTEXSIM_SOURCE_DIR "/configs/kernels/" + name + ".json");
  return KernelParameters::declaration().read(file.cursor());
}

}  // namespace

TEST_CASE("one global table: 256 buckets for each CPU, rounded up") {
  // The sizes that the measured machines had: 32, 144 and 256 CPUs.
  CHECK(buckets("256-per-cpu", machine(2, 8, 2), 28) == 8192);
  CHECK(buckets("256-per-cpu", machine(4, 18, 2), 28) == 65536);
  CHECK(buckets("256-per-cpu", machine(2, 64, 2), 28) == 65536);
}

TEST_CASE("a node's part: the same divided by nodes, at least 4") {
  CHECK(buckets("256-per-cpu-and-node", machine(2, 64, 2), 1) == 32768);  // dmesg: 32768 on 2 nodes
  CHECK(buckets("256-per-cpu-and-node", machine(2, 8, 2), 1) == 4096);
  CHECK(buckets("256-per-cpu-and-node", machine(4, 18, 2), 1) == 16384);  // 9216
  CHECK(buckets("256-per-cpu-and-node", machine(1, 1, 1), 1) == 256);
}

TEST_CASE("a private table grows past 4, 8, 16, 32 threads, from 16 on") {
  const Machine e7 = machine(4, 18, 2);
  const auto private_buckets = [&](std::uint32_t threads) {
    return buckets("4-per-thread", e7, threads);
  };
  CHECK(private_buckets(1) == 16);
  CHECK(private_buckets(4) == 16);
  CHECK(private_buckets(5) == 32);
  CHECK(private_buckets(16) == 64);
  CHECK(private_buckets(17) == 128);
  CHECK(private_buckets(33) == 256);
}

TEST_CASE("a private table counts no more threads than CPUs, and stays within a node's part") {
  CHECK(buckets("4-per-thread", machine(2, 8, 2), 1000) == 128);
  CHECK(buckets("4-per-thread", machine(4, 18, 2), 1000) == 1024);
  CHECK(buckets("4-per-thread", machine(2, 64, 2), 1000) == 1024);
  // 4 for each of 256 CPUs, but 128 nodes of 2: 512 each.
  CHECK(buckets("4-per-thread", machine(128, 2, 1), 1000) == 512);
}

TEST_CASE("a fixed number is a power of two") {
  CHECK(buckets({{"name", "fixed"}, {"buckets", 8}}, machine(1, 1, 1), 99) == 8);
  CHECK(message_of([] {
          buckets({{"name", "fixed"}, {"buckets", 6}}, machine(1, 1, 1), 1);
        }).find("a power of two") != std::string::npos);
}

TEST_CASE("shipped kernels: what a process of 28 threads on 32 CPUs gets unasked") {
  const Machine e5 = machine(2, 8, 2);
  const auto unasked = [&](const char* kernel, const char* policy) {
    return with_buckets(PolicyChoice(policy), shipped(kernel), e5.topology(), 28)
        .make()
        ->buckets()
        .value();
  };
  CHECK(unasked("v3.12", "global") == 256);
  CHECK(unasked("v3.14", "global") == 8192);
  CHECK(unasked("2016-rfc", "private") == 8);
  CHECK(unasked("2024-rfc-v2", "private") == 4);
  CHECK(unasked("2024-rfc-v2", "global") == 8192);
  CHECK(unasked("2025-series", "resizable") == 128);
  CHECK(unasked("v6.16", "global-per-node") == 4096);
  CHECK(unasked("v6.17", "percpu") == 128);
  CHECK(message_of([&] { unasked("before-2025", "private"); }).find("gives no process a table") !=
        std::string::npos);
}

TEST_CASE("a policy that says how many buckets has so many") {
  const Machine e5 = machine(2, 8, 2);
  const PolicyChoice sized(Document("policy", {{"name", "percpu"}, {"buckets", 32}}).cursor());
  CHECK(with_buckets(sized, shipped("v6.17"), e5.topology(), 28).make()->buckets() == 32U);
}

TEST_CASE("each process's table is as large as its own threads ask") {
  KernelLab lab(TestMachine{}.cores_per_node(64), TestKernel::shipped("v6.17").policy("percpu"), 1);
  RandomStream random(1, "processes");
  const auto buckets_of = [&](std::uint32_t threads) {
    return lab.kernel().table_life(lab.kernel().create_mm({0}, threads, random)).buckets;
  };
  CHECK(buckets_of(1) == 16);
  CHECK(buckets_of(30) == 128);
  CHECK(buckets_of(5) == 32);
}

TEST_CASE("a kernel's file without global_sizing is refused") {
  CHECK(message_of([] {
          TestKernel{}.erase("global_sizing").parameters();
        }).find("global_sizing") != std::string::npos);
}

TEST_CASE("the 2025 series differs under PREEMPT_RT by its lock alone") {
  const auto file = [](const char* name) {
    const Document read =
        Document::read(std::string(FUTEXSIM_SOURCE_DIR "/configs/kernels/") + name + ".json");
    nlohmann::json json = read.root();
    for (const char* const key : {"name", "description", "spinlock"}) json.erase(key);
    // The lock's 32 bytes begin and end elsewhere, on the same line.
    for (const char* const key : {"lock_offset", "priv_offset"}) json.at("bucket").erase(key);
    return json;
  };
  CHECK(file("2025-series-rt") == file("2025-series"));
}

TEST_CASE("the global table beside private ones is the kernel's own") {
  const Machine e5 = machine(2, 8, 2);
  const PolicyChoice beside = global_policy(shipped("v6.17"), e5.topology());
  CHECK(beside.name() == "global-per-node");
  CHECK(beside.make()->buckets() == 4096U);
}
