#include "futexsim/engine/frame_pool.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

using namespace futexsim;

TEST_CASE("a frame that was given back is the next of its size") {
  FramePool pool;
  void* const frame = pool.allocate(200);
  void* const other = pool.allocate(200);
  CHECK(frame != other);
  pool.release(frame, 200);
  CHECK(pool.allocate(200) == frame);
  pool.release(frame, 200);
  pool.release(other, 200);
}

TEST_CASE("sizes of one granule share frames; sizes of two don't") {
  FramePool pool;
  void* const frame = pool.allocate(65);
  pool.release(frame, 65);
  void* const smaller = pool.allocate(64);
  CHECK(smaller != frame);
  CHECK(pool.allocate(128) == frame);
  pool.release(frame, 128);
  pool.release(smaller, 64);
}

TEST_CASE("frames of all sizes hold what is written to them and are aligned as new aligns") {
  FramePool pool;
  std::vector<unsigned char*> frames;
  const std::size_t most = FramePool::largest + 200;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t bytes = 1; bytes <= most; ++bytes) {
      auto* const frame = static_cast<unsigned char*>(pool.allocate(bytes));
      CHECK(reinterpret_cast<std::uintptr_t>(frame) % __STDCPP_DEFAULT_NEW_ALIGNMENT__ == 0);
      std::memset(frame, static_cast<int>(bytes % 251), bytes);
      frames.push_back(frame);
    }
    std::size_t damaged = 0;
    for (std::size_t bytes = 1; bytes <= most; ++bytes) {
      unsigned char* const frame = frames[bytes - 1];
      for (std::size_t i = 0; i < bytes; ++i) damaged += frame[i] != bytes % 251;
      pool.release(frame, bytes);
    }
    CHECK(damaged == 0);
    frames.clear();
  }
}

TEST_CASE("each host thread has a pool of its own") {
  FramePool* other = nullptr;
  std::thread([&] { other = &FramePool::local(); }).join();
  CHECK(&FramePool::local() == &FramePool::local());
  CHECK(other != &FramePool::local());
}
