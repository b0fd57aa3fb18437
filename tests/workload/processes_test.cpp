// Several processes of perf bench futex hash: their addresses, tables and lines.

#include <doctest/doctest.h>

#include <set>

#include "../support/futex_hash_lab.hpp"

using namespace futexsim;

namespace {

constexpr std::uint32_t threads_each = 4, futexes = 64;

/// Two nodes of four cores, two processes.
class ProcessesLab : public KernelLab {
 public:
  ProcessesLab(const char* placement, const TestKernel& kernel)
      : KernelLab(TestMachine{}.nodes(2).cores_per_node(4), kernel, 8),
        random_(1, "heap"),
        parameters_(parameters(placement)),
        placement_(Placement::of(parameters_,
                                 Document("workload", nlohmann::json::object()).cursor(),
                                 machine().topology())),
        workload_(parameters_, {this->kernel(), hardware(), placement_, random_}) {}

  FutexHash& workload() { return workload_; }

  std::set<const CacheLine*> bucket_lines(std::uint32_t process) {
    std::set<const CacheLine*> out;
    for (std::uint32_t i = process * threads_each; i < (process + 1) * threads_each; ++i) {
      const Thread& thread = workload_.threads()[i];
      for (std::uint32_t futex = 0; futex < futexes; ++futex) {
        out.insert(kernel().bucket_of(thread.mm(), workload_.key(thread, futex)).lock.line);
      }
    }
    return out;
  }

  bool share_lines() {
    const std::set<const CacheLine*> second = bucket_lines(1);
    for (const CacheLine* const line : bucket_lines(0)) {
      if (second.contains(line)) return true;
    }
    return false;
  }

  void run_operations(std::uint64_t count) {
    while (workload_.operations() < count) REQUIRE(simulation().step());
  }

 private:
  static FutexHashParameters parameters(const char* placement) {
    FutexHashParameters out;
    out.threads = threads_each;
    out.processes = 2;
    out.placement = placement;
    out.futexes_per_thread = futexes;
    return out;
  }

  RandomStream random_;
  FutexHashParameters parameters_;
  Placement placement_;
  FutexHash workload_;
};

const TestKernel private_tables = TestKernel{}.policy("private", 64);
const TestKernel global_table = TestKernel{}.policy("global", 64);

}  // namespace

TEST_CASE("processes have addresses of their own") {
  for (const char* const placement : {"all", "node1", "one process per node"}) {
    CAPTURE(placement);
    ProcessesLab lab(placement, private_tables);
    const Thread& first = lab.workload().threads()[0];
    const Thread& second = lab.workload().threads()[threads_each];
    CHECK(&first.mm() != &second.mm());
    CHECK(first.mm().heap_start() != second.mm().heap_start());
    CHECK(lab.workload().key(first, 0).mm != lab.workload().key(second, 0).mm);
    CHECK(lab.workload().futexes(0).first != lab.workload().futexes(threads_each).first);
  }
}

TEST_CASE("one process per node: threads and private tables are on the process's node") {
  ProcessesLab lab("one process per node", private_tables);
  for (const Thread& thread : lab.workload().threads()) {
    CHECK(lab.machine().topology().node_of(thread.cpu().id()) == NodeId{thread.mm().number()});
  }
  for (std::uint32_t process = 0; process < 2; ++process) {
    CHECK(lab.bucket_lines(process).size() > 32);
    for (const CacheLine* const line : lab.bucket_lines(process)) {
      CHECK(line->home == NodeId{process});
    }
  }
}

TEST_CASE("on all CPUs both processes begin on the first node, and so do their private tables") {
  ProcessesLab lab("all", private_tables);
  for (std::uint32_t process = 0; process < 2; ++process) {
    for (const CacheLine* const line : lab.bucket_lines(process)) CHECK(line->home == NodeId{0});
  }
  CHECK_FALSE(lab.share_lines());
}

TEST_CASE("with private tables no line goes from one process's node to the other's") {
  ProcessesLab lab("one process per node", private_tables);
  CHECK_FALSE(lab.share_lines());
  lab.run_operations(4000);
  CHECK(lab.transfers(Distance::same_l3) > 0);
  CHECK(lab.transfers(Distance::other_node) == 0);
  CHECK(lab.transfers(Distance::third_party_home) == 0);
}

TEST_CASE("with the global table lines go to and fro between processes") {
  ProcessesLab lab("one process per node", global_table);
  CHECK(lab.share_lines());
  lab.run_operations(4000);
  CHECK(lab.transfers(Distance::other_node) > 1000);
}
