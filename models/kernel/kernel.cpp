#include "futexsim/kernel/kernel.hpp"

#include <algorithm>
#include <cassert>

namespace futexsim {

const Declaration<KernelParameters>& KernelParameters::declaration() {
  using P = KernelParameters;
  static const auto declaration =
      Declaration<P>("kernel", "what a version of kernel/futex does")
          .required("name", &P::name, {.help = "as configs and tables name it"})
          .required("description", &P::description, {.help = "version, patches, source"})
          .required("spinlock", &P::spinlock, {.help = "of a hash bucket"})
          .required("bucket", &P::bucket)
          .required("waiters", &P::waiters,
                    {.help = "the bucket's counter of waiters: incremented before the lock is "
                             "taken, and decremented after or before the unlock",
                     .allowed = {"none", "decrement-after-unlock", "decrement-before-unlock"}})
          .required("loads_bucket_priv", &P::loads_bucket_priv,
                    {.help = "futex_hash() and futex_hash_put() read hb->priv"})
          .required("global_hash", &P::global_hash, {.help = "of keys that go to a global table"})
          .required("private_hash", &P::private_hash,
                    {.help = "of private keys that go to the process's own table"})
          .required("policies", &P::policies,
                    {.help = "table policies that it has", .min_items = 1, .unique = true})
          .check([](const P& kernel, const Cursor& at) {
            const auto& known = Registry<TablePolicy, const TableContext&>::instance();
            for (std::size_t i = 0; i < kernel.policies.size(); ++i) {
              if (known.find(kernel.policies[i]) != nullptr) continue;
              at.at("policies")
                  .at(i)
                  .refuse(listed(known.names()), nearest_name(kernel.policies[i], known.names()));
            }
          });
  return declaration;
}

PathTimes::PathTimes(const Machine& machine)
    : futex_wait(machine.path("futex_wait")), critical_section(machine.path("critical_section")) {}

Kernel::Kernel(const KernelParameters& parameters, const FutexHashing& hashing,
               const Machine& machine, Hardware& hardware, NodeId main_node)
    : parameters_(parameters),
      counts_waiters_(parameters.waiters != "none"),
      decrements_before_unlock_(parameters.waiters == "decrement-before-unlock"),
      local_work_(PathTimes(machine).futex_wait),
      critical_section_(PathTimes(machine).critical_section),
      hash_(hashing.hash.make()),
      spinlock_(parameters.spinlock.make(hardware)),
      policy_(hashing.policy.make({hardware, parameters_.bucket, main_node})) {
  local_work_ += machine.cycles(hash_->cycles());
}

Task<> Kernel::futex_wait(Cpu& cpu, FutexKey key) {
  co_await cpu.compute(local_work_);
  HashBucket& bucket = bucket_of(key);
  ReferenceCount* const references = policy_->references();

  // futex_hash()
  if (references != nullptr) co_await references->read_mask(cpu);
  if (parameters_.loads_bucket_priv) co_await cpu.load(bucket.priv);
  if (references != nullptr) co_await references->get(cpu);

  // futex_q_lock()
  if (counts_waiters_) co_await cpu.fetch_add(bucket.waiters, 1);
  co_await acquire(cpu, bucket);

  // get_futex_value_locked(), and the comparison that fails
  co_await cpu.compute(critical_section_);

  // futex_q_unlock()
  if (decrements_before_unlock_) co_await cpu.fetch_add(bucket.waiters, ~0U);
  co_await release(cpu, bucket);
  if (counts_waiters_ && !decrements_before_unlock_) co_await cpu.fetch_add(bucket.waiters, ~0U);

  // futex_hash_put()
  if (parameters_.loads_bucket_priv) co_await cpu.load(bucket.priv);
  if (references != nullptr) co_await references->put(cpu);
}

Task<> Kernel::acquire(Cpu& cpu, HashBucket& bucket) {
  const Picoseconds asked = cpu.now();
  co_await spinlock_->acquire(cpu, bucket.lock);
  assert(bucket.holder == nullptr && "one holder of a lock");
  bucket.holder = &cpu;
  ++acquires_;
  lock_waits_.add(static_cast<std::uint64_t>((cpu.now() - asked).count));
}

Task<> Kernel::release(Cpu& cpu, HashBucket& bucket) {
  assert(bucket.holder == &cpu && "a lock is released by its holder");
  bucket.holder = nullptr;
  ++releases_;
  co_await spinlock_->release(cpu, bucket.lock);
}

}  // namespace futexsim
