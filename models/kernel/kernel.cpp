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
          .required("global_sizing", &P::global_sizing,
                    {.help = "buckets of the global table, or of each node's part of it"})
          .optional("static_buckets", &P::static_buckets,
                    {.unit = "buckets",
                     .help = "up to so many, a global table is a static array on the node of the "
                             "kernel's image; larger ones are allocated at boot, and dealt to all "
                             "nodes"})
          .optional("private_sizing", &P::private_sizing,
                    {.help = "buckets of a table that a process gets unasked; absent where it gets "
                             "none"})
          .optional("hash_control", &P::hash_control,
                    {.help = "how a process asks for a table: prctl() and its relatives; absent "
                             "where it can't"})
          .optional("grace_period", &P::grace_period,
                    {.unit = "ms",
                     .help = "of RCU, between two steps of the replacement of a table that counts "
                             "its users CPU by CPU",
                     .min = 0.1,
                     .max = 1000})
          .optional("time_slice_us", &P::time_slice_us,
                    {.unit = "us",
                     .help = "of a thread while others wait for its CPU; of a few equal threads "
                             "it is the scheduler's granularity, 0.75 ms x (1 + log2 of CPUs, at "
                             "most 8)",
                     .min = 1,
                     .max = 1'000'000})
          .optional("wake_checks_waiters", &P::wake_checks_waiters,
                    {.help = "FUTEX_WAKE looks at the counter of waiters before it takes the lock, "
                             "and leaves if it is 0; absent: where there is a counter"})
          .optional("wake_q", &P::wake_q,
                    {.help = "wakes threads after the unlock (since v4.2), not under the lock"})
          .optional("perf_futex_hash", &P::perf_futex_hash,
                    {.help = "which perf bench futex hash comes with this tree: the RFCs of 2016 "
                             "and 2024 have options and lines of their own",
                     .allowed = {"v6.16", "2016-rfc", "2024-rfc-v2"}})
          .required("policies", &P::policies,
                    {.help = "table policies that it has", .min_items = 1, .unique = true})
          .check([](const P& kernel, const Cursor& at) {
            if (kernel.counts_waiters() && !kernel.bucket.waiters_offset) {
              at.at("waiters").refuse("\"none\", or waiters_offset in the bucket");
            }
            if (kernel.loads_bucket_priv && !kernel.bucket.priv_offset) {
              at.at("loads_bucket_priv").refuse("false, or priv_offset in the bucket");
            }
            if (kernel.wake_checks_waiters.value_or(false) && !kernel.counts_waiters()) {
              at.at("wake_checks_waiters").refuse("false, or a counter of waiters");
            }
            const auto& known = Registry<TablePolicy>::instance();
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
    : futex_wait(machine.path("futex_wait")),
      critical_section(machine.path("critical_section")),
      get_user_pages(machine.path("get_user_pages")) {}

Kernel::Kernel(const KernelParameters& parameters, const FutexHashing& hashing,
               const Machine& machine, Hardware& hardware)
    : parameters_(parameters),
      hardware_(hardware),
      scheduler_(SchedulerTimes(machine, microseconds(parameters.time_slice_us)), hardware),
      counts_waiters_(parameters.counts_waiters()),
      decrements_before_unlock_(parameters.decrements_before_unlock()),
      system_call_(PathTimes(machine).futex_wait),
      critical_section_(PathTimes(machine).critical_section),
      get_user_pages_(PathTimes(machine).get_user_pages),
      grace_period_{parameters.grace_period ? parameters.grace_period->scaled(1e9) : 0},
      hash_(timed(hashing.hash, machine)),
      global_hash_(timed(parameters.global_hash, machine)),
      spinlock_(parameters.spinlock.make({hardware, scheduler_})),
      policy_choice_(hashing.policy),
      policy_(hashing.policy.make()) {}

Kernel::TimedHash Kernel::timed(const HashChoice& choice, const Machine& machine) {
  std::unique_ptr<HashFunction> function = choice.make();
  const Picoseconds time = machine.cycles(function->cycles());
  return {std::move(function), time};
}

Mm& Kernel::create_mm(NodeId main_node, std::uint32_t threads, RandomStream& random) {
  Mm& mm = mms_.emplace_back(static_cast<std::uint32_t>(mms_.size()), main_node, random);
  lock_waits_.emplace_back();
  if (policy_->is_private()) {
    const std::unique_ptr<TablePolicy> sized = sized_policy(threads);
    private_.push_back(
        {&hash_, sized->build(table_context(main_node)), {sized->buckets().value()}});
  }
  return mm;
}

std::unique_ptr<TablePolicy> Kernel::sized_policy(std::uint32_t threads) const {
  return with_buckets(policy_choice_, parameters_, hardware_.topology(), threads).make();
}

/// The chosen one; beside private tables the kernel's own, as large as it makes it at boot.
void Kernel::build_global_table() {
  const TableContext context = table_context({0});
  if (!policy_->is_private()) {
    global_ = {&hash_, sized_policy(1)->build(context)};
    return;
  }
  const PolicyChoice beside = global_policy(parameters_, hardware_.topology());
  global_ = {&global_hash_, beside.make()->build(context)};
}

void Kernel::forget_lock_waits() {
  for (WaitHistogram& waits : lock_waits_) waits = {};
}

/// The steps of core.cpp in line, as simulations spend their time here: composed of them it takes
/// 14 to 16 % more instructions (callgrind, 240 threads of the EPYC, 1024 and 65536 buckets), for
/// the same trace.
Task<> Kernel::futex_wait(Thread& thread, FutexKey key) {
  Cpu& cpu = thread.cpu();
  co_await cpu.compute(system_call_);
  if (key.is_shared()) co_await reference_page(thread, key);
  Hashing& hashing = hashing_of(thread.mm(), key);

  // futex_hash()
  HashBucket* found = nullptr;
  ReferenceCount* references = nullptr;
  while (found == nullptr) {
    const FutexTable& table = *hashing.table;
    co_await cpu.compute(hashing.hash->time);
    HashBucket& candidate = bucket_of(hashing, key);
    references = hashing.table->references();
    if (references != nullptr) co_await references->read_mask(cpu);
    if (parameters_.loads_bucket_priv) co_await cpu.load(candidate.priv);
    bool is_alive = true;
    if (references != nullptr) is_alive = co_await references->get(cpu);
    if (is_alive) {
      found = &candidate;
    } else {
      co_await pivot(thread, hashing, table);
    }
  }
  HashBucket& bucket = *found;

  // futex_q_lock()
  if (counts_waiters_) co_await cpu.fetch_add(bucket.waiters, 1);
  co_await acquire(thread, bucket);

  // get_futex_value_locked(), and the comparison that fails
  if (spinlock_->is_preemptible()) {
    co_await compare(thread, bucket);
  } else {
    co_await cpu.compute(critical_section_);
  }

  // futex_q_unlock()
  if (decrements_before_unlock_) co_await cpu.fetch_add(bucket.waiters, ~0U);
  co_await release(thread, bucket);
  if (counts_waiters_ && !decrements_before_unlock_) co_await cpu.fetch_add(bucket.waiters, ~0U);

  // futex_hash_put()
  if (parameters_.loads_bucket_priv) co_await cpu.load(bucket.priv);
  if (references != nullptr) co_await references->put(cpu);

  // exit_to_user_mode_loop()
  if (scheduler_.need_resched(thread)) co_await scheduler_.schedule(thread);
}

/// get_futex_key() of a process-shared futex: get_user_pages_fast() takes a reference on the page,
/// put_page() drops it once the key is known, both on struct page.
Task<> Kernel::reference_page(Thread& thread, const FutexKey& key) {
  Cpu& cpu = thread.cpu();
  Word& references = page_refs_[{key.mm, key.page}];
  if (references.line == nullptr) {
    references.line = &hardware_.memory().allocate(thread.mm().main_node());
  }
  co_await cpu.compute(get_user_pages_);
  co_await cpu.fetch_add(references, 1);
  co_await cpu.fetch_add(references, ~0U);
}

Task<> Kernel::acquire(Thread& thread, HashBucket& bucket) {
  const Picoseconds asked = thread.cpu().now();
  co_await spinlock_->acquire(thread, bucket.lock);
  assert(bucket.holder == nullptr && "one holder of a lock");
  bucket.holder = &thread;
  ++acquires_;
  lock_waits_[thread.mm().number()].add(
      static_cast<std::uint64_t>((thread.cpu().now() - asked).count));
}

Task<> Kernel::release(Thread& thread, HashBucket& bucket) {
  assert(bucket.holder == &thread && "a lock is released by its holder");
  bucket.holder = nullptr;
  ++releases_;
  co_await spinlock_->release(thread, bucket.lock);
}

}  // namespace futexsim
