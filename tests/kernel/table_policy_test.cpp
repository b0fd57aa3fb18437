#include "futexsim/kernel/table_policy.hpp"

#include <doctest/doctest.h>

#include <set>

#include "../parts/message_of.hpp"
#include "../support/lab.hpp"

using namespace futexsim;

namespace {

/// A table of the policy on a machine with so many nodes, the main thread on node 1.
struct Built {
  Built(const char* name, std::uint32_t buckets, std::uint32_t nodes)
      : Built(nlohmann::json{{"name", name}, {"buckets", buckets}}, nodes) {}
  Built(const nlohmann::json& choice, std::uint32_t nodes, std::uint32_t static_buckets = 0)
      : lab(TestMachine{}.nodes(nodes), 1),
        policy(PolicyChoice(Document("policy.json", choice).cursor()).make()),
        table(policy->build({lab.hardware(), layout, NodeId{1}, {}, static_buckets})) {}

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
  for (const char* const policy : {"private", "immutable", "resizable", "percpu"}) {
    CAPTURE(policy);
    Built built(policy, 4096, 4);
    std::set<std::uint32_t> homes;
    for (std::uint32_t hash = 0; hash < 4096; ++hash) homes.insert(built.home(hash));
    CHECK(homes == std::set<std::uint32_t>{1});
    CHECK(built.policy->is_private());
    CHECK(built.policy->buckets() == 4096U);
  }
}

TEST_CASE("only a table that can be resized counts its users") {
  for (const char* const policy : {"private", "immutable", "global", "global-per-node"}) {
    CHECK(Built(policy, 64, 2).table->references() == nullptr);
  }
  CHECK(Built("resizable", 64, 2).table->references() != nullptr);
  CHECK(Built("percpu", 64, 2).table->references() != nullptr);
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

TEST_CASE("the global table: a static array lies on the node of the kernel's image") {
  const nlohmann::json choice{{"name", "global"}, {"buckets", 256}};
  Built array(choice, 4, 256);
  Built allocated(choice, 4, 128);
  for (std::uint32_t page = 0; page < 4; ++page) {
    CHECK(array.home(64 * page) == 0);
    CHECK(allocated.home(64 * page) == page);
  }
}

TEST_CASE("a table for each node: the hash's bits above the bucket choose it") {
  Built built("global-per-node", 64, 4);
  CHECK(built.policy->buckets() == 64U);
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
       {"private", "immutable", "resizable", "percpu", "global", "global-per-node"}) {
    CHECK(message_of([&] { Built(policy, 48, 2); }).find("a power of two") != std::string::npos);
    CHECK(message_of([&] { Built(policy, 0, 2); }) != "no error");
    CHECK(message_of([&] { Built(policy, 1, 2); }) == "no error");
  }
}

TEST_CASE("memory policies of a process: bound to a node, or interleaved") {
  const auto choice = [](std::uint32_t buckets, const char* mempolicy) {
    return nlohmann::json{{"name", "private"}, {"buckets", buckets}, {"mempolicy", mempolicy}};
  };
  Built local(choice(4096, "local"), 4);
  CHECK(local.home(4095) == 1);
  Built bound(choice(4096, "node3"), 4);
  CHECK(bound.home(0) == 3);
  CHECK(bound.home(4095) == 3);
  // Exactly 4 MiB is still one allocation of the page allocator, on one node.
  Built largest(choice(65536, "interleave"), 2);
  CHECK(largest.home(0) == largest.home(32768));
  CHECK(largest.home(0) == largest.home(65535));
  // 8 MiB, 4 MiB a node: 2 MiB pages of 32768 buckets in turn.
  Built vmalloced(choice(131072, "interleave"), 2);
  CHECK(vmalloced.home(32767) == 0);
  CHECK(vmalloced.home(32768) == 1);
  CHECK(vmalloced.home(65536) == 0);
  CHECK(vmalloced.home(131071) == 1);
  Built above_local(choice(131072, "local"), 2);
  CHECK(above_local.home(32768) == 1);
  CHECK(above_local.home(65536) == 1);
}

TEST_CASE("the header of struct futex_private_hash takes a table over 4 MiB") {
  for (const char* const policy : {"immutable", "resizable", "percpu"}) {
    CAPTURE(policy);
    Built table({{"name", policy}, {"buckets", 65536}, {"mempolicy", "interleave"}}, 2);
    CHECK(table.home(0) == 0);
    CHECK(table.home(32766) == 0);
    CHECK(table.home(32767) == 1);  // behind the header's 64 bytes
  }
}

TEST_CASE("a node that the machine hasn't got is refused") {
  const auto refusal = [](const char* mempolicy) {
    return message_of([&] {
      const nlohmann::json choice{{"name", "percpu"}, {"buckets", 16}, {"mempolicy", mempolicy}};
      const Document config("policy.json", choice);
      const Machine machine = TestMachine{}.nodes(2).machine();
      PolicyChoice(config.cursor()).make()->check(config.cursor(), machine.topology());
    });
  };
  CHECK(refusal("node1") == "no error");
  CHECK(refusal("node2").find("node0 to node1") != std::string::npos);
  CHECK(refusal("remote") != "no error");
}

TEST_CASE("a futex that names its node hashes into that node's part") {
  Built built("global-per-node", 64, 4);
  for (const std::uint32_t node : {0U, 1U, 2U, 3U}) {
    CHECK(built.table->bucket_on({node}, 1 << 6 | 5).lock.line->home.value == node);
    CHECK(&built.table->bucket_on({node}, 5) == &built.table->bucket(node << 6 | 5));
  }
  Built one("global", 64, 4);
  CHECK(&one.table->bucket_on({3}, 5) == &one.table->bucket(5));
}
