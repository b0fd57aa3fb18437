#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
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
  /// Any other value of a kernel's file.
  TestKernel& set(const char* key, nlohmann::json value) {
    return json_[key] = std::move(value), *this;
  }
  TestKernel& erase(const char* key) { return json_.erase(key), *this; }
  TestKernel& policy(const char* name, std::uint32_t buckets) {
    return policy_ = {{"name", name}, {"buckets", buckets}}, *this;
  }
  /// As many buckets as the kernel gives.
  TestKernel& policy(const char* name) { return policy_ = {{"name", name}}, *this; }
  /// Another table of so many buckets from `at_us` on.
  TestKernel& resize(std::uint32_t buckets, std::uint32_t at_us) {
    return policy_["resize"] = {{"buckets", buckets}, {"at_us", at_us}}, *this;
  }
  TestKernel& grace_period(double ms) {
    json_["grace_period"] = {
        {"value", ms}, {"unit", "ms"}, {"origin", "guess"}, {"source", "a test"}};
    return *this;
  }

  KernelParameters parameters() const {
    nlohmann::json json = json_;
    json.erase("$schema");
    return KernelParameters::declaration().read(Document("test kernel", json).cursor());
  }
  FutexHashing hashing() const {
    const PolicyChoice policy(Document("test policy", policy_).cursor());
    const KernelParameters kernel = parameters();
    return {policy, policy.make()->is_private() ? kernel.private_hash : kernel.global_hash};
  }

 private:
  nlohmann::json json_{{"name", "test"},
                       {"description", "a kernel of a test"},
                       {"spinlock", "qspinlock"},
                       {"bucket", {{"waiters_offset", 0}, {"lock_offset", 4}, {"priv_offset", 24}}},
                       {"waiters", "decrement-after-unlock"},
                       {"loads_bucket_priv", false},
                       {"global_hash", "jhash2"},
                       {"private_hash", "jhash2"},
                       {"global_sizing", "256-per-cpu"},
                       {"policies", {"private"}}};
  nlohmann::json policy_{{"name", "private"}, {"buckets", 64}};
};

/// A kernel on a machine at work.
class KernelLab : public Lab {
 public:
  KernelLab(const TestMachine& machine, const TestKernel& kernel, std::uint32_t cpus)
      : Lab(machine, cpus),
        kernel_(kernel.parameters(), kernel.hashing(), this->machine(), hardware()) {}

  Kernel& kernel() { return kernel_; }
  Scheduler& scheduler() override { return kernel_.scheduler(); }

 protected:
  Mm& mm() override { return kernel_.create_mm({0}, 1, random_); }

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
        placement_(one_thread_a_cpu(hardware())),
        workload_(parameters(threads, futexes), {this->kernel(), hardware(), placement_, random_}) {
  }

  FutexHash& workload() { return workload_; }

  FutexKey key(std::uint32_t thread, std::uint32_t futex) {
    return workload_.key(workload_.threads()[thread], futex);
  }
  HashBucket& bucket_of(std::uint32_t thread, std::uint32_t futex) {
    return kernel().bucket_of(workload_.threads()[thread].mm(), key(thread, futex));
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
  static FutexHashParameters parameters(std::uint32_t threads, std::uint32_t futexes) {
    FutexHashParameters out;
    out.threads = threads;
    out.futexes_per_thread = futexes;
    return out;
  }
  static Placement one_thread_a_cpu(Hardware& hardware) {
    Placement out;
    for (const Cpu& cpu : hardware.cpus()) out.threads.push_back({0, cpu.id()});
    out.add_process({0}, static_cast<std::uint32_t>(out.threads.size()));
    return out;
  }

  RandomStream random_;
  Placement placement_;
  FutexHash workload_;
};

}  // namespace futexsim
