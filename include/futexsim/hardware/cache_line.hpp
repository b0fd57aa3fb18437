#pragma once

#include <cstdint>

#include "futexsim/engine/simulation.hpp"
#include "futexsim/hardware/ids.hpp"

namespace futexsim {

enum class Access : std::uint8_t { read, write };

struct CacheLine;

/// A core's wish for a line. One at a time for each requester, which keeps it alive until it has
/// been completed; its actor fires when the line has arrived.
struct LineRequest {
  Actor* requester = nullptr;
  CacheLine* line = nullptr;
  LineRequest* next = nullptr;
  CoreId core;
  Access access = Access::read;
  Picoseconds issued;
};

/// First in, first out, linked through the requests themselves.
class RequestQueue {
 public:
  bool empty() const { return head_ == nullptr; }
  LineRequest* front() const { return head_; }
  void push(LineRequest& request) {
    request.next = nullptr;
    if (head_ == nullptr) {
      head_ = tail_ = &request;
    } else {
      tail_ = tail_->next = &request;
    }
  }
  LineRequest& pop() {
    LineRequest& first = *head_;
    head_ = first.next;
    return first;
  }
  /// Takes out the request of the lowest rank, the first of equals. Ranks begin with 0.
  /// O(requests until one has that).
  template <class Rank>
  LineRequest& pop_lowest(Rank rank_of) {
    LineRequest* before_lowest = nullptr;
    std::uint32_t lowest = rank_of(*head_);
    for (LineRequest* before = head_; lowest > 0 && before->next != nullptr;
         before = before->next) {
      const std::uint32_t rank = rank_of(*before->next);
      if (rank >= lowest) continue;
      lowest = rank;
      before_lowest = before;
    }
    if (before_lowest == nullptr) return pop();
    LineRequest& taken = *before_lowest->next;
    before_lowest->next = taken.next;
    if (tail_ == &taken) tail_ = before_lowest;
    return taken;
  }

 private:
  LineRequest* head_ = nullptr;
  LineRequest* tail_ = nullptr;
};

/// Where one line of memory is cached, and who wants it.
///
/// Invariants: an exclusive line has one holder, its responder; a line that nobody caches is
/// `uncached`; requests queue only behind transfers in flight: one write, or any number of reads.
struct CacheLine {
  enum class State : std::uint8_t { uncached, exclusive, shared };

  State state = State::uncached;
  CoreId responder;  ///< answers the next request: the owner, or the F or O holder
  NodeId home;
  std::uint32_t number = 0;          ///< of the line in its home's physical memory
  std::uint64_t* sharers = nullptr;  ///< one bit a core, while shared
  std::uint32_t reads_in_flight = 0;
  LineRequest* write_in_flight = nullptr;
  Picoseconds lost_at;        ///< until then the old holders may still use a line in flight
  Picoseconds came_below_l3;  ///< when it came below the L3 where it is now
  Picoseconds next_read_at;   ///< when the next of reads that overlap can be answered
  Picoseconds in_memory_at;   ///< when the home's memory has what was written back last
  RequestQueue waiting;
  RequestQueue spinners;  ///< holders of a copy who read it again and again
};

/// A 32-bit variable of simulated memory: its value and the line that its address lies on.
struct Word {
  CacheLine* line = nullptr;
  std::uint32_t value = 0;
};

}  // namespace futexsim
