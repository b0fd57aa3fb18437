#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "futexsim/experiment/point.hpp"

namespace futexsim {

/// Options of `perf bench futex`, of all its benchmarks together as in perf's own struct
/// (tools/perf/bench/futex.h, v6.16), and what a simulator has to be told besides.
struct PerfFutexOptions {
  std::int64_t threads = 0;   ///< 0: one for each CPU
  std::int64_t runtime = 10;  ///< seconds; only shown, precision decides how much is simulated
  std::int64_t futexes = 1024;
  std::int64_t nwakes = 0;  ///< woken at once, or threads that wake; 0: the benchmark's default
  std::int64_t nrequeue = 1;
  std::int64_t buckets = -1;  ///< -1: automatic, 0: global table
  bool immutable = false;
  bool shared = false;
  bool silent = false;
  bool mlockall = false;
  bool multi = false;
  bool pi = false;
  bool broadcast = false;
  std::optional<std::int64_t> node = {};   ///< 2016 RFC: bound to this node
  std::optional<std::int64_t> slots = {};  ///< 2016 RFC: FUTEX_PREALLOC_HASH

  std::string machine = "e5-2650";
  std::string kernel = "2024-rfc-v2";
  std::optional<std::string> placement = {};
  std::optional<std::string> policy = {};
  std::optional<std::string> hash = {};
  std::optional<std::uint64_t> seed = {};
  std::optional<double> precision = {};
};

/// How the command line shows an option and where it goes: a flag or an integer.
struct PerfOption {
  using Field = std::variant<bool PerfFutexOptions::*, std::int64_t PerfFutexOptions::*,
                             std::optional<std::int64_t> PerfFutexOptions::*>;

  std::string names;  ///< "threads,t"
  std::string value;  ///< "N"; empty for a flag
  std::string help;
  Field field;
  std::int64_t least = 0;
};

/// Options that all benchmarks have.
const std::vector<PerfOption>& perf_common_options();

/// A benchmark of `perf bench futex` on a simulated machine: perf's options and output lines. The
/// PID is the seed, so that equal runs print equal bytes.
class PerfBenchmark {
 public:
  virtual ~PerfBenchmark() = default;
  virtual std::string_view name() const = 0;      ///< "wake"
  virtual std::string_view workload() const = 0;  ///< that it simulates
  virtual std::string_view help() const = 0;
  /// Does perf make ten runs of it, rather than one for some seconds?
  virtual bool is_repeated() const { return false; }
  /// Beside the common ones.
  virtual std::vector<PerfOption> options() const = 0;
  /// The point that the options ask for. InputError when they contradict each other or ask for what
  /// the kernel hasn't got.
  virtual Point point(const PerfFutexOptions& options, const Catalogue& catalogue) const = 0;
  /// The options that would run a point of the workload.
  virtual PerfFutexOptions options_of(const Point& point) const = 0;
  /// Lines that don't depend on the run.
  virtual std::string heading(const PerfFutexOptions& options, const Point& point) const = 0;
  virtual std::string findings(const PerfFutexOptions& options, const Point& point,
                               const PointResult& result) const = 0;
};

/// In perf's order.
const std::vector<const PerfBenchmark*>& perf_benchmarks();

/// "# Running 'futex/wake' benchmark:", and what `perf bench futex all` says instead.
std::string perf_title(const PerfBenchmark& benchmark);
std::string perf_title_of_many(const PerfBenchmark& benchmark);

/// The benchmark whose workload the point has. InputError for one of no benchmark.
const PerfBenchmark& perf_benchmark_of(const Point& point);

/// All of perf's lines for a point of any benchmark's workload. InputError for one of no benchmark.
std::string perf_report(const Point& point, const PointResult& result);

}  // namespace futexsim
