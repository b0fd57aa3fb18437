#include "command.hpp"
#include "command_line.hpp"
#include "futexsim/experiment/inventory.hpp"
#include "futexsim/parts/document.hpp"
#include "output.hpp"

namespace futexsim::cli {

int machine(const Arguments& arguments) {
  CommandLine line("machine show NAME|FILE [options]",
                   "A machine's numbers: value, unit, origin and source of each.");
  line.positional("NAME", 2, 2).option("format", "FORMAT", "table (default) or json");
  const ParsedLine options(line, arguments);
  if (options.wants_help()) return print_help(line);
  const std::string format = options.choice("format", {"table", "json"});
  if (options.positional().front() != "show") {
    throw InputError({.source = "machine"}, in_quotes(options.positional().front()), "\"show\"");
  }
  const Catalogue catalogue(Catalogue::default_folder());
  const Document name("machine show", options.positional().back());
  const auto shown = catalogue.machine(name.cursor());
  Output().write(format == "json"
                     ? MachineParameters::declaration().write(shown->parameters()).dump(2) + "\n"
                     : machine_text(*shown));
  return done;
}

}  // namespace futexsim::cli
