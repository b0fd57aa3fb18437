#include "futexsim/kernel/table_policy.hpp"

#include <doctest/doctest.h>

#include <set>

#include "../parts/message_of.hpp"
#include "../support/lab.hpp"
#include "futexsim/kernel/sizing.hpp"

using namespace futexsim;

namespace {

/// A table of the policy on a machine with so many nodes, the main thread on node 1.
struct Built {
  Built(const char* name, std::uint32_t buckets, std::uint32_t nodes)
      : lab(TestMachine{}.nodes(nodes), 1),
        policy(
            PolicyChoice(Document("policy.json", {{"name", name}, {"buckets", buckets}}).cursor())
                .make()),
        table(policy->build({lab.hardware(), layout, NodeId{1}})) {}

  std::uint32_t home(std::uint32_t hash) { return table->bucket(hash).lock.line->home.value; }

  Lab lab;
  BucketLayout layout;
  std::unique_ptr<TablePolicy> policy;
  std::unique_ptr<FutexTable> table;
};

Task<> get_once(ReferenceCount& references, Cpu& cpu, Picoseconds& done) {
  co_await references.get(cpu);
  done = cpu.now();
}

}  // namespace

TEST_CASE("a process's own table lies on the node of its main thread") {
  for (const char* const policy : {"private", "immutable", "resizable"}) {
    CAPTURE(policy);
    Built built(policy, 4096, 4);
    std::set<std::uint32_t> homes;
    for (std::uint32_t hash = 0; hash < 4096; ++hash) homes.insert(built.home(hash));
    CHECK(homes == std::set<std::uint32_t>{1});
    CHECK(built.policy->is_private());
    CHECK(built.policy->buckets() == 4096);
  }
}

TEST_CASE("only a table that can be resized counts its users") {
  for (const char* const policy : {"private", "immutable", "global", "global-per-node"}) {
    CHECK(Built(policy, 64, 2).table->references() == nullptr);
  }
  CHECK(Built("resizable", 64, 2).table->references() != nullptr);
}

TEST_CASE("the counter of users lies where the table lies") {
  // A first touch from node 0 of what lies on node 1: memory, and two crossings.
  Built built("resizable", 64, 2);
  Picoseconds done;
  built.lab.start(0, get_once(*built.table->references(), built.lab.cpu(0), done));
  CHECK(built.lab.run_to_end());
  CHECK(done == nanoseconds(100 + 2 * 40));
}

TEST_CASE("the global table: 2 MiB pages, where each node's share reaches that size") {
  Built built("global", 65536, 2);  // 4 MiB: one page a node (dmesg: vmalloc hugepage)
  CHECK(built.home(0) == 0);
  CHECK(built.home(32767) == 0);
  CHECK(built.home(32768) == 1);
  CHECK(built.home(65535) == 1);
  CHECK_FALSE(built.policy->is_private());
}

TEST_CASE("the global table: pages of 4 KiB, 64 buckets, dealt in turn below that size") {
  Built two("global", 32768, 2);  // 2 MiB, 1 MiB a node
  CHECK(two.home(63) == 0);
  CHECK(two.home(64) == 1);
  CHECK(two.home(127) == 1);
  CHECK(two.home(128) == 0);
  Built four("global", 65536, 4);  // 4 MiB, 1 MiB a node
  CHECK(four.home(64) == 1);
  CHECK(four.home(191) == 2);
  CHECK(four.home(255) == 3);
  CHECK(four.home(256) == 0);
}

TEST_CASE("a table for each node: the hash's bits above the bucket choose it") {
  Built built("global-per-node", 64, 4);
  CHECK(built.policy->buckets() == 64);
  for (const std::uint32_t node : {0U, 1U, 2U, 3U}) {
    CHECK(built.home(node << 6 | 5) == node);
    CHECK(built.home(node << 6 | 63) == node);
    CHECK(built.home((node + 4) << 6 | 5) == node);  // modulo the nodes
  }
  CHECK(&built.table->bucket(1 << 6 | 5) != &built.table->bucket(2 << 6 | 5));
  CHECK(&built.table->bucket(1 << 6 | 5) == &built.table->bucket(5 << 6 | 5));
  Built three("global-per-node", 64, 3);
  CHECK(three.home(3 << 6) == 0);
  CHECK(three.home(5 << 6) == 2);
}

TEST_CASE("a number of buckets that isn't a power of two is refused") {
  for (const char* const policy :
       {"private", "immutable", "resizable", "global", "global-per-node"}) {
    CHECK(message_of([&] { Built(policy, 48, 2); }).find("a power of two") != std::string::npos);
    CHECK(message_of([&] { Built(policy, 0, 2); }) != "no error");
    CHECK(message_of([&] { Built(policy, 1, 2); }) == "no error");
  }
}

TEST_CASE("buckets that a kernel gives unasked, by hand for 32 CPUs on 2 nodes") {
  const Machine machine = TestMachine{}.nodes(2).cores_per_node(8).threads_per_core(2).machine();
  const Topology& topology = machine.topology();
  CHECK(automatic_buckets("global", 28, topology) == 256 * 32);
  CHECK(automatic_buckets("global-per-node", 28, topology) == 256 * 32 / 2);
  CHECK(automatic_buckets("private", 28, topology) == 4);
  CHECK(automatic_buckets("resizable", 1, topology) == 16);
  CHECK(automatic_buckets("resizable", 5, topology) == 32);     // 20, rounded up
  CHECK(automatic_buckets("immutable", 32, topology) == 128);   // 4 for each thread
  CHECK(automatic_buckets("immutable", 500, topology) == 128);  // 4 for each CPU
}
