#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "futexsim/kernel/kernel.hpp"
#include "futexsim/workload/futex_hash.hpp"
#include "lab.hpp"

namespace futexsim {

/// A kernel and what is chosen for a run with it. Every policy is allowed.
class TestKernel {
 public:
  /// The kernel as configs/kernels ships it.
  static TestKernel shipped(const std::string& name) {
    TestKernel kernel;
    const std::string file = FUTEXSIM_SOURCE_DIR "/configs/kernels/" + name + ".json";
    kernel.json_ = Document::read(file).root();
    return kernel;
  }

  TestKernel& spinlock(const char* name) { return json_["spinlock"] = name, *this; }
  TestKernel& waiters(const char* when) { return json_["waiters"] = when, *this; }
  TestKernel& loads_bucket_priv(bool loads) { return json_["loads_bucket_priv"] = loads, *this; }
  TestKernel& policy(const char* name, std::uint32_t buckets) {
    return policy_ = {{"name", name}, {"buckets", buckets}}, *this;
  }

  KernelParameters parameters() const {
    nlohmann::json json = json_;
    json.erase("$schema");
    return KernelParameters::declaration().read(Document("test kernel", json).cursor());
  }
  FutexHashing hashing() const {
    const bool global = policy_.at("name").get<std::string>().starts_with("global");
    const KernelParameters kernel = parameters();
    return {PolicyChoice(Document("test policy", policy_).cursor()),
            global ? kernel.global_hash : kernel.private_hash};
  }

 private:
  nlohmann::json json_{{"name", "test"},
                       {"description", "a kernel of a test"},
                       {"spinlock", "qspinlock"},
                       {"bucket", nlohmann::json::object()},
                       {"waiters", "decrement-after-unlock"},
                       {"loads_bucket_priv", false},
                       {"global_hash", "jhash2"},
                       {"private_hash", "jhash2"},
                       {"policies", {"private"}}};
  nlohmann::json policy_{{"name", "private"}, {"buckets", 64}};
};

/// A kernel on a machine at work, the main thread on node 0.
class KernelLab : public Lab {
 public:
  KernelLab(const TestMachine& machine, const TestKernel& kernel, std::uint32_t cpus)
      : Lab(machine, cpus),
        kernel_(kernel.parameters(), kernel.hashing(), this->machine(), hardware(), {0}) {}

  Kernel& kernel() { return kernel_; }

 private:
  Kernel kernel_;
};

/// `perf bench futex hash` at work, thread i on CPU i.
class FutexHashLab : public KernelLab {
 public:
  FutexHashLab(const TestMachine& machine, const TestKernel& kernel, std::uint32_t threads,
               std::uint64_t seed, std::uint32_t futexes = 1024)
      : KernelLab(machine, kernel, threads),
        random_(seed, "heap"),
        mm_(first_draws(seed)),
        workload_({.threads = threads, .futexes_per_thread = futexes}, this->kernel(), hardware(),
                  random_) {}

  FutexHash& workload() { return workload_; }

  /// The key of a thread's futex: the workload's own mm and addresses.
  FutexKey key(std::uint32_t thread, std::uint32_t futex) const {
    return mm_.private_key(workload_.first_address(thread) + 4 * std::uint64_t{futex});
  }

  /// Until so many more operations are done; false if the threads block each
  /// other for good.
  bool run_operations(std::uint64_t count) {
    const std::uint64_t end = workload_.operations() + count;
    while (workload_.operations() < end) {
      if (!simulation().step()) return false;
    }
    return true;
  }

 private:
  /// An address space is the first thing that a workload draws.
  static Mm first_draws(std::uint64_t seed) {
    RandomStream random(seed, "heap");
    return Mm(random);
  }

  RandomStream random_;
  Mm mm_;
  FutexHash workload_;
};

}  // namespace futexsim
