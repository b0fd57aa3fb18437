#pragma once

#include <functional>
#include <string>

#include "futexsim/experiment/perf_futex.hpp"
#include "futexsim/parts/document.hpp"

namespace futexsim {

const PerfBenchmark& perf_hash_benchmark();
const PerfBenchmark& perf_wake_benchmark();
const PerfBenchmark& perf_wake_parallel_benchmark();
const PerfBenchmark& perf_requeue_benchmark();
const PerfBenchmark& perf_lock_pi_benchmark();

// What benchmarks have in common.

InputError perf_refusal(const std::string& option, const std::string& found,
                        const std::string& allowed);

/// A config with all that the common options say; a benchmark adds its own to /workload. The number
/// of threads is that of the workload already: perf's default is one for each CPU.
Document perf_config(const PerfBenchmark& benchmark, const PerfFutexOptions& options,
                     const Catalogue& catalogue);

/// The same of a benchmark that perf repeats: ten runs, unless a precision is asked for.
Document perf_config_of_runs(const PerfBenchmark& benchmark, const PerfFutexOptions& options,
                             const Catalogue& catalogue);

/// The common options that would run a point.
PerfFutexOptions perf_common_options_of(const Point& point);

/// The kernel and the machine that the options name.
std::shared_ptr<const KernelParameters> perf_kernel(const PerfFutexOptions& options,
                                                    const Catalogue& catalogue);
std::shared_ptr<const Machine> perf_machine(const PerfFutexOptions& options,
                                            const Catalogue& catalogue);

bool is_global(const std::string& policy);

/// "Futex hashing: ...", as perf's futex_print_nbuckets() (v6.16).
std::string perf_hashing_line(const PerfFutexOptions& options, const Point& point,
                              const PointResult& result);

/// "Run summary [PID 1]: "
std::string perf_summary(const Point& point);

/// A parameter of the point's workload.
nlohmann::json workload_value(const Point& point, const char* name);
std::int64_t workload_number(const Point& point, const char* name);
/// "shared" or "private".
std::string sharing(const Point& point);
std::string hexadecimal(std::uint64_t address);

/// perf prints whole operations per second.
std::int64_t whole(double value);

/// "[thread  0] futex...: 0x... [ 1234 ops/sec ]" for each thread, unless silent, and the average.
std::string perf_rates(const PerfFutexOptions& options, const PointResult& result, int thread_width,
                       const std::function<std::string(const ThreadResult&)>& futexes);

/// perf's average of samples in milliseconds: "0.1234 ms (+-5.67%)".
std::string average_ms(double mean, double plus_minus_pct);
double plus_minus_pct_of(const RunningMoments& samples);

}  // namespace futexsim
