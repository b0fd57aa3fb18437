#pragma once

#include <array>
#include <cstddef>
#include <new>

namespace futexsim {

/// Free lists of coroutine frames by size, one pool a host thread: frames are taken and given back
/// millions of times a second and always in the same few sizes. Holds memory only, no state that
/// a result could depend on. Frames over `largest` bytes go to the heap.
class FramePool {
 public:
  static constexpr std::size_t granule = 64;
  static constexpr std::size_t largest = 1024;

  FramePool() = default;
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;
  ~FramePool() {
    for (Block*& list : free_) {
      while (list != nullptr) ::operator delete(pop(list));
    }
  }

  static FramePool& local() {
    thread_local FramePool pool;
    return pool;
  }

  void* allocate(std::size_t bytes) {
    if (bytes > largest) return ::operator new(bytes);
    Block*& list = free_[size_class(bytes)];
    if (list != nullptr) return pop(list);
    return ::operator new((size_class(bytes) + 1) * granule);
  }

  void release(void* frame, std::size_t bytes) noexcept {
    if (bytes > largest) return ::operator delete(frame);
    Block*& list = free_[size_class(bytes)];
    list = new (frame) Block{list};
  }

 private:
  struct Block {
    Block* next;
  };

  static constexpr std::size_t size_class(std::size_t bytes) { return (bytes - 1) / granule; }
  static void* pop(Block*& list) {
    Block* const block = list;
    list = block->next;
    return block;
  }

  std::array<Block*, largest / granule> free_{};
};

}  // namespace futexsim
