#include "futexsim/workload/futex_hash.hpp"

namespace futexsim {
const Declaration<FutexHashParameters>& FutexHashParameters::declaration() {
  using P = FutexHashParameters;
  static const auto declaration =
      Declaration<P>("futex-hash",
                     "perf bench futex hash: every thread waits on its own futexes, "
                     "one after the other, with a value that differs")
          .required("threads", &P::threads, {.unit = "threads", .min = 1, .max = 65536})
          .optional("futexes_per_thread", &P::futexes_per_thread,
                    {.unit = "futexes", .min = 1, .max = 1 << 20})
          .optional("placement", &P::placement,
                    {.help = "all: thread i on CPU i; nodeK: thread i on the i-th CPU of node K, "
                             "and the main thread there too",
                     .pattern = "all|node[0-9]+"});
  return declaration;
}

FutexHash::FutexHash(const FutexHashParameters& parameters, Kernel& kernel, Hardware& hardware,
                     RandomStream& random)
    : kernel_(kernel),
      mm_(random),
      futexes_(parameters.futexes_per_thread),
      by_thread_(hardware.cpus().size()),
      arrays_(mm_, static_cast<std::uint32_t>(by_thread_.size()), futexes_, random) {
  std::vector<std::uint32_t> first(by_thread_.size());
  for (std::uint32_t& futex : first) futex = static_cast<std::uint32_t>(random.below(futexes_));
  place_lines(first, hardware);
  // Threads begin spread over the time of one operation.
  const auto spread = static_cast<std::uint64_t>(kernel.local_work().count) + 1;
  std::uint32_t thread = 0;
  for (Cpu& cpu : hardware.cpus()) {
    const Picoseconds start{static_cast<std::int64_t>(random.below(spread))};
    cpu.start(worker(cpu, thread, first[thread]), start);
    ++thread;
  }
}

Task<> FutexHash::worker(Cpu& cpu, std::uint32_t thread, std::uint32_t first) {
  for (std::uint32_t futex = first;; futex = futex + 1 == futexes_ ? 0 : futex + 1) {
    co_await kernel_.futex_wait(cpu, key(thread, futex));
    ++by_thread_[thread];
    ++operations_;
  }
}

void FutexHash::place_lines(const std::vector<std::uint32_t>& first, Hardware& hardware) {
  for (std::uint32_t step = 0; step < futexes_; ++step) {
    std::uint32_t thread = 0;
    for (const Cpu& cpu : hardware.cpus()) {
      const std::uint32_t futex = (first[thread] + step) % futexes_;
      hardware.memory().place(*kernel_.bucket_of(key(thread, futex)).lock.line, cpu.core_id());
      ++thread;
    }
  }
}

}  // namespace futexsim
