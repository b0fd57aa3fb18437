#pragma once

#include <cstdint>
#include <vector>

#include "futexsim/engine/time.hpp"
#include "futexsim/parts/declaration.hpp"
#include "futexsim/parts/quantity.hpp"

namespace futexsim {

/// The DRAM banks behind a node's home agents. Consecutive lines lie in different channels; a
/// channel's lines fill a row of one bank, and then one of the next. A bank writes one line at a
/// time.
class MemoryBanks {
 public:
  struct Parameters {
    Quantity channels;           ///< of a node
    Quantity banks_per_channel;  ///< of all ranks
    Quantity row_lines;          ///< of a bank
    Quantity write;              ///< how long a line that is written keeps its bank
    Quantity queue;              ///< lines that wait for a bank before the home agent waits too

    static const Declaration<Parameters>& declaration();
  };

  explicit MemoryBanks(const Parameters& parameters)
      : channels_(static_cast<std::uint32_t>(parameters.channels.scaled(1))),
        banks_per_channel_(static_cast<std::uint32_t>(parameters.banks_per_channel.scaled(1))),
        row_lines_(static_cast<std::uint32_t>(parameters.row_lines.scaled(1))),
        write_{parameters.write.scaled(1000)},
        queue_(parameters.queue.scaled(1)),
        free_at_(std::size_t{channels_} * banks_per_channel_) {}

  /// When the home agent, which got the line at `at`, can let it go on: at once, unless too many
  /// wait for the same bank.
  Picoseconds write(std::uint32_t line, Picoseconds at) {
    Picoseconds& free_at = free_at_[bank_of(line)];
    free_at = (at < free_at ? free_at : at) + write_;
    return free_at - write_ * queue_;
  }

 private:
  std::uint32_t bank_of(std::uint32_t line) const {
    const std::uint32_t channel = line % channels_;
    const std::uint32_t row = line / (channels_ * row_lines_);
    return channel + channels_ * (row % banks_per_channel_);
  }

  std::uint32_t channels_;
  std::uint32_t banks_per_channel_;
  std::uint32_t row_lines_;
  Picoseconds write_;
  std::int64_t queue_;
  std::vector<Picoseconds> free_at_;
};

}  // namespace futexsim
