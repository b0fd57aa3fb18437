#include "futexsim/hardware/memory_banks.hpp"

namespace futexsim {

const Declaration<MemoryBanks::Parameters>& MemoryBanks::Parameters::declaration() {
  using P = Parameters;
  static const auto declaration =
      Declaration<P>("memory_banks", "DRAM banks behind a node's home agents")
          .required("channels", &P::channels,
                    {.unit = "channels", .help = "of a node", .min = 1, .max = 64})
          .required("banks_per_channel", &P::banks_per_channel,
                    {.unit = "banks", .help = "of all ranks of a channel", .min = 1, .max = 1024})
          .required("row_lines", &P::row_lines,
                    {.unit = "lines", .help = "of a row of a bank", .min = 1, .max = 65536})
          .required("write", &P::write,
                    {.unit = "ns",
                     .help = "how long a line that is written keeps its bank",
                     .min = 0,
                     .max = 1e6})
          .required("queue", &P::queue,
                    {.unit = "lines",
                     .help = "that wait for a bank before the home agent waits too",
                     .min = 0,
                     .max = 1000});
  return declaration;
}

}  // namespace futexsim
