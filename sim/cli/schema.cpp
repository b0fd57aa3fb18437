#include <algorithm>

#include "command.hpp"
#include "command_line.hpp"
#include "futexsim/experiment/inventory.hpp"
#include "futexsim/parts/nearest_name.hpp"
#include "output.hpp"

namespace futexsim::cli {

int schema(const Arguments& arguments) {
  CommandLine line("schema NAME [options]",
                   "The JSON Schema of a kind of config. NAME: " + listed(schema_names()) + ".");
  line.positional("NAME", 1, 1)
      .option("output,o", "FILE", "write there instead of to standard output");
  const ParsedLine options(line, arguments);
  if (options.wants_help()) return print_help(line);
  const std::string& name = options.positional().front();
  const std::vector<std::string> names = schema_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw InputError({.source = "schema"}, in_quotes(name), listed(names),
                     nearest_name(name, names));
  }
  Output output(options.text("output"));
  output.write(schema_of(name).dump(2) + "\n");
  output.finish();
  return done;
}

}  // namespace futexsim::cli
