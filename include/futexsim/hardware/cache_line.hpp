#pragma once

#include <cstdint>
#include <utility>

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
  /// Takes out the first request that `matches` among those issued until `issued`, or else the
  /// first of all. O(those).
  template <class Predicate>
  LineRequest& pop_first(Picoseconds issued, Predicate matches) {
    LineRequest* before = nullptr;
    for (LineRequest* request = head_; request != nullptr && request->issued <= issued;
         before = std::exchange(request, request->next)) {
      if (!matches(*request)) continue;
      if (before == nullptr) break;
      before->next = request->next;
      if (tail_ == request) tail_ = before;
      return *request;
    }
    return pop();
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
