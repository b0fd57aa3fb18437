#include <bit>
#include <sstream>

#include "command.hpp"
#include "command_line.hpp"
#include "futexsim/experiment/hash_spread.hpp"
#include "futexsim/parts/input_error.hpp"
#include "output.hpp"

namespace futexsim::cli {
namespace {

constexpr std::int64_t most_buckets = 1 << 22;

CommandLine described() {
  CommandLine line("hash [options]",
                   "How evenly hash functions spread the futexes of a process over a table, and "
                   "what a call costs;\nnothing is simulated. The futexes are perf bench futex "
                   "hash's (-t, -f), equally far apart\n(--stride, --count, --base) or those of a "
                   "file (--keys).");
  line.option("hash", "NAME[,NAME...]", "hash functions (default: all)")
      .option("buckets,b", "N", "of the table, a power of two (default 1024)")
      .option("threads,t", "N", "threads (default 128)")
      .option("futexes,f", "N", "futexes of each thread (default 1024)")
      .option("stride", "BYTES", "from each futex to the next")
      .option("count", "N", "futexes at that stride")
      .option("base", "ADDR", "address of the first, hexadecimal (default 0x0)")
      .option("keys", "FILE", "hexadecimal addresses, one a line")
      .option("seed", "N", "of heap and mm (default 1)")
      .option("format", "FORMAT", "table (default), json or csv")
      .option("output,o", "FILE", "write there instead of to standard output");
  return line;
}

std::vector<std::string> names(const ParsedLine& options) {
  std::vector<std::string> out;
  std::istringstream list(options.text_or("hash", ""));
  for (std::string name; std::getline(list, name, ',');) out.push_back(name);
  if (options.has("hash") && out.empty()) out.emplace_back();
  return out;
}

std::uint32_t buckets(const ParsedLine& options) {
  const auto given =
      static_cast<std::uint32_t>(options.integer("buckets", 1, most_buckets).value_or(1024));
  if (std::has_single_bit(given)) return given;
  throw InputError({.source = "--buckets"}, std::to_string(given), "a power of two");
}

HashLayoutOptions layout(const ParsedLine& options) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 48;
  HashLayoutOptions out;
  out.threads = options.integer("threads", 1, 65536);
  out.futexes = options.integer("futexes", 1, 1 << 20);
  out.stride = options.integer("stride", 4, most_bytes);
  out.count = options.integer("count", 1, HashLayout::most_futexes);
  out.base = options.text("base");
  out.keys = options.text("keys");
  out.seed = options.seed().value_or(out.seed);
  return out;
}

}  // namespace

int hash(const Arguments& arguments) {
  const CommandLine line = described();
  const ParsedLine options(line, arguments);
  if (options.wants_help()) return print_help(line);
  const std::string format = options.choice("format", {"table", "json", "csv"});
  const std::uint32_t table = buckets(options);
  const HashLayout futexes = HashLayout::read(layout(options));
  const std::vector<HashSpread> spreads = hash_spreads(names(options), futexes, table);
  const std::optional<std::string> keys = options.text("keys");
  Output output(options.text("output"),
                keys ? std::vector<std::string>{*keys} : std::vector<std::string>{});
  output.write(format == "json"  ? hash_spread_json(futexes, spreads, table)
               : format == "csv" ? hash_spread_csv(futexes, spreads, table)
                                 : hash_spread_text(futexes, spreads, table));
  output.finish();
  return done;
}

}  // namespace futexsim::cli
