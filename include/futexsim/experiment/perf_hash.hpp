#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "futexsim/experiment/point.hpp"

namespace futexsim {

/// Options of `perf bench futex hash` (tools/perf/bench/futex-hash.c, v6.16), and what a simulator
/// has to be told besides.
struct PerfHashOptions {
  std::int64_t threads = 0;   ///< 0: one for each CPU
  std::int64_t runtime = 10;  ///< seconds; only shown, precision decides how much is simulated
  std::int64_t futexes = 1024;
  std::int64_t buckets = -1;  ///< -1: automatic, 0: global table
  bool immutable = false;
  bool shared = false;
  bool silent = false;

  std::string machine = "e5-2650";
  std::string kernel = "2024-rfc-v2";
  std::string placement = "all";
  std::optional<std::string> policy = {};
  std::optional<std::string> hash = {};
  std::optional<std::uint64_t> seed = {};
  std::optional<double> precision = {};
};

/// The point that the options ask for. InputError when they contradict each other or ask for what
/// the kernel hasn't got.
Point perf_hash_point(const PerfHashOptions& options, const Catalogue& catalogue);

/// perf's output lines: those before the run, those after it, and both. The PID is the seed, so
/// that equal runs print equal bytes.
std::string perf_hash_heading(const PerfHashOptions& options, const Point& point);
std::string perf_hash_findings(const PerfHashOptions& options, const Point& point,
                               const PointResult& result);
std::string perf_hash_report(const PerfHashOptions& options, const Point& point,
                             const PointResult& result);

/// The options that would run a point.
PerfHashOptions perf_hash_options(const Point& point);

}  // namespace futexsim
