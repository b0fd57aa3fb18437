#include "futexsim/workload/futex_hash.hpp"

namespace futexsim {
const Declaration<FutexHashParameters>& FutexHashParameters::declaration() {
  using P = FutexHashParameters;
  static const auto declaration =
      ThreadParameters::begin<P>("futex-hash",
                                 "perf bench futex hash: every thread waits on its own futexes, "
                                 "one after the other, with a value that differs")
          .optional("futexes_per_thread", &P::futexes_per_thread,
                    {.unit = "futexes", .min = 1, .max = 1 << 20})
          .optional("shared", &P::shared,
                    {.help = "process-shared futexes (perf's -S), which always hash into the "
                             "global table"})
          .optional(
              "futex2_numa", &P::futex2_numa,
              {.help = "each thread's futexes name its CPU's node (FUTEX2_NUMA) and hash into "
                       "that node's part of the global table"});
  return declaration;
}

FutexHash::FutexHash(const FutexHashParameters& parameters, const WorkloadContext& context)
    : RunningWorkload(context),
      kernel_(context.kernel),
      futexes_(parameters.futexes_per_thread),
      threads_each_(parameters.threads),
      shared_(parameters.shared) {
  for (std::size_t first = 0; first < threads().size(); first += threads_each_) {
    arrays_.emplace_back(threads()[first].mm(), threads_each_, futexes_, context.random);
  }
  for (const Thread& thread : threads()) {
    if (!parameters.futex2_numa) break;
    nodes_.push_back(context.hardware.topology().node_of(thread.cpu().id()));
  }
  std::vector<std::uint32_t> first(threads().size());
  for (std::uint32_t& futex : first) {
    futex = static_cast<std::uint32_t>(context.random.below(futexes_));
  }
  for (std::uint32_t step = 0; step < futexes_; ++step) {
    for (const Thread& thread : threads()) {
      place_line(context, thread, key(thread, (first[thread.number()] + step) % futexes_));
    }
  }
  for (Thread& thread : threads()) {
    start_amid(context, thread, worker(thread, first[thread.number()]));
  }
}

Task<> FutexHash::worker(Thread& thread, std::uint32_t first) {
  for (std::uint32_t futex = first;; futex = futex + 1 == futexes_ ? 0 : futex + 1) {
    co_await kernel_.futex_wait(thread, key(thread, futex));
    count_operation(thread);
  }
}

namespace {

const Register<Workload> futex_hash{FutexHashParameters::declaration(),
                                    WorkloadOf<FutexHash, FutexHashParameters>::make};

}  // namespace
}  // namespace futexsim
