#include <algorithm>

#include "command.hpp"
#include "command_line.hpp"
#include "futexsim/experiment/inventory.hpp"
#include "futexsim/parts/nearest_name.hpp"
#include "output.hpp"

namespace futexsim::cli {
namespace {

CommandLine described() {
  CommandLine line("list [KIND] [options]", "What configs can name, with parameters. KIND: " +
                                                listed(inventory_kinds()) + ".");
  line.positional("KIND", 0, 1).option("format", "FORMAT", "table (default) or json");
  return line;
}

}  // namespace

int list(const Arguments& arguments) {
  const CommandLine line = described();
  const ParsedLine options(line, arguments);
  if (options.wants_help()) return print_help(line);
  const bool as_json = options.choice("format", {"table", "json"}) == "json";
  std::vector<std::string> kinds = inventory_kinds();
  if (!options.positional().empty()) {
    const std::string& kind = options.positional().front();
    if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
      throw InputError({.source = "list"}, in_quotes(kind), listed(kinds),
                       nearest_name(kind, kinds));
    }
    kinds = {kind};
  }
  const Catalogue catalogue(Catalogue::default_folder());
  nlohmann::ordered_json all = nlohmann::ordered_json::object();
  std::string text;
  for (const std::string& kind : kinds) {
    const std::vector<InventoryItem> items = inventory(kind, catalogue);
    all[kind] = inventory_json(items);
    text += (text.empty() ? "" : "\n") + kind + "\n" + inventory_text(items);
  }
  Output().write(as_json ? all.dump(2) + "\n" : text);
  return done;
}

}  // namespace futexsim::cli
