// How the futexes of perf's threads spread over a table: laws of the hash
// alone, no contention.

#include <doctest/doctest.h>

#include <cmath>
#include <unordered_map>

#include "../support/futex_hash_lab.hpp"

using namespace futexsim;

namespace {

/// The part of all futexes whose bucket holds no futex of another thread.
double alone(std::uint32_t threads, std::uint32_t buckets, std::uint64_t seed) {
  FutexHashLab lab(TestMachine{}.cores_per_node(threads), TestKernel{}.policy("private", buckets),
                   threads, seed);
  constexpr std::uint32_t many = ~0U;
  std::unordered_map<const HashBucket*, std::uint32_t> thread_of;  // `many` if several
  std::vector<const HashBucket*> bucket_of;
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    for (std::uint32_t futex = 0; futex < 1024; ++futex) {
      const HashBucket* const bucket = &lab.bucket_of(thread, futex);
      const auto [place, first] = thread_of.emplace(bucket, thread);
      if (!first && place->second != thread) place->second = many;
      bucket_of.push_back(bucket);
    }
  }
  std::size_t count = 0;
  for (const HashBucket* const bucket : bucket_of) count += thread_of.at(bucket) != many;
  return static_cast<double>(count) / static_cast<double>(bucket_of.size());
}

}  // namespace

TEST_CASE("a futex is alone in its bucket with probability exp(-1024 (N-1) / B)") {
  struct Pair {
    std::uint32_t threads, buckets;
    double published;  ///< as the sharing law was first stated, three digits
  };
  for (const Pair pair : {Pair{140, 65536, .114}, Pair{240, 131072, .155}, Pair{34, 131072, .773},
                          Pair{14, 16384, .444}, Pair{28, 16384, .185}}) {
    CAPTURE(pair.threads);
    CAPTURE(pair.buckets);
    const double expected = std::exp(-1024.0 * (pair.threads - 1) / pair.buckets);
    CHECK(expected == doctest::Approx(pair.published).epsilon(0.02));
    RunningMoments seeds;
    for (std::uint64_t seed = 1; seed <= 6; ++seed)
      seeds.add(alone(pair.threads, pair.buckets, seed));
    // Of one seed, at most what independent futexes in threads x 1024 draws
    // would give.
    const double samples = 6.0 * pair.threads * 1024;
    const double error = std::sqrt(expected * (1 - expected) / samples);
    MESSAGE(pair.threads << " threads, " << pair.buckets << " buckets: P(alone) expected "
                         << expected << ", found " << seeds.mean() << ", "
                         << (seeds.mean() - expected) / error << " standard errors");
    CHECK(std::abs(seeds.mean() - expected) < 4 * error);
  }
}

TEST_CASE(
    "arrays lie as glibc's malloc puts them: 4112 bytes apart and what "
    "threads need") {
  FutexHashLab lab(TestMachine{}.cores_per_node(16), TestKernel{}, 16, 1);
  for (std::uint32_t thread = 0; thread < 16; ++thread) {
    CAPTURE(thread);
    const std::uint64_t first = lab.workload().futexes(thread).first;
    CHECK(first % 16 == 0);
    CHECK(lab.workload().futexes(thread).second == first + 4 * 1023);
    if (thread == 0) continue;
    const std::uint64_t stride = first - lab.workload().futexes(thread - 1).first;
    CHECK(stride >= 0x1010);
    CHECK(stride <= 0x1010 + 0x210);
    if (thread > 2) CHECK(stride == 0x1190);
  }
}

TEST_CASE("arrays from 128 KiB on are mapped on their own, 16 bytes into a page") {
  FutexHashLab lab(TestMachine{}.cores_per_node(3), TestKernel{}, 3, 1, 32768);
  for (std::uint32_t thread = 0; thread < 3; ++thread) {
    CHECK(lab.workload().futexes(thread).first % 4096 == 16);
  }
}

TEST_CASE("every operation is counted, by thread and in all") {
  FutexHashLab lab(TestMachine{}.cores_per_node(4), TestKernel{}.policy("private", 4), 4, 1);
  CHECK(lab.run_operations(1000));
  std::uint64_t sum = 0;
  for (const std::uint64_t operations : lab.workload().operations_by_thread()) {
    CHECK(operations > 100);
    sum += operations;
  }
  CHECK(sum == lab.workload().operations());
  // Each thread is inside at most one operation.
  CHECK(lab.kernel().acquires() >= lab.kernel().releases());
  CHECK(lab.kernel().acquires() - lab.kernel().releases() <= 1);  // four buckets: at most four
}

TEST_CASE("threads go through their futexes in array order, from anywhere") {
  // One thread and one bucket for each futex of a page: its line is touched
  // once a round.
  FutexHashLab lab(TestMachine{}.cores_per_node(2), TestKernel{}.policy("private", 65536), 1, 3, 8);
  std::vector<const HashBucket*> order;
  for (std::uint32_t futex = 0; futex < 8; ++futex) {
    order.push_back(&lab.bucket_of(0, futex));
  }
  std::vector<std::size_t> visited;
  while (visited.size() < 20) {
    REQUIRE(lab.simulation().step());
    for (std::size_t i = 0; i < 8; ++i) {
      const bool inside = order[i]->lock.value != 0;
      if (inside && (visited.empty() || visited.back() != i)) visited.push_back(i);
    }
  }
  for (std::size_t i = 1; i < visited.size(); ++i) CHECK(visited[i] == (visited[i - 1] + 1) % 8);
}
