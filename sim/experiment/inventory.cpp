#include "futexsim/experiment/inventory.hpp"

#include <cassert>
#include <functional>

#include "futexsim/experiment/calibration.hpp"
#include "futexsim/experiment/experiment.hpp"
#include "futexsim/experiment/provenance.hpp"
#include "futexsim/experiment/published_table.hpp"
#include "futexsim/experiment/text_table.hpp"
#include "futexsim/experiment/validation_bounds.hpp"
#include "futexsim/parts/nearest_name.hpp"

namespace futexsim {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using Items = std::vector<InventoryItem>;

Cursor name_of_file(const std::string& name) {
  return Document("list", name).cursor();
}

Items machines(const Catalogue& catalogue) {
  Items out;
  for (const std::string& name : catalogue.machines()) {
    out.push_back({name, catalogue.machine(name_of_file(name))->parameters().description, {}});
  }
  return out;
}

Items kernels(const Catalogue& catalogue) {
  Items out;
  for (const std::string& name : catalogue.kernels()) {
    out.push_back({name, catalogue.kernel(name_of_file(name))->description, {}});
  }
  return out;
}

template <class Parts>
Items registered(const Catalogue&) {
  Items out;
  for (const auto& [name, entry] : Parts::instance().entries()) {
    out.push_back({name, entry.help, entry.parameters()});
  }
  return out;
}

Items hashes(const Catalogue& catalogue) {
  Items out = registered<HashChoice::Parts>(catalogue);
  for (InventoryItem& item : out) {
    const HashCost cost = HashChoice(item.name).make()->cost();
    item.help += "; " + std::to_string(cost.cycles) + " cycles (" + std::string(cost.source) + ")";
  }
  return out;
}

Items calibrations(const Catalogue& catalogue) {
  Items out;
  for (const std::string& name : catalogue.calibrations()) {
    const Document file = Calibration::read(name, catalogue);
    const auto recipe = CalibrationRecipe::declaration().read(file.cursor());
    out.push_back({name,
                   std::to_string(recipe.fit.size()) + " numbers of " + recipe.machine.as_string() +
                       " on " + listed(recipe.tables),
                   {}});
  }
  return out;
}

Items hypotheses(const Catalogue& catalogue) {
  Items out;
  for (const std::string& name : catalogue.hypotheses()) {
    out.push_back({name, catalogue.hypothesis(name_of_file(name)).description, {}});
  }
  return out;
}

Items experiments(const Catalogue& catalogue) {
  Items out;
  for (const std::string& name : catalogue.experiments()) {
    const Experiment experiment(Experiment::read(name, catalogue));
    const std::size_t points = experiment.points(catalogue).size();
    out.push_back(
        {name, experiment.is_sweep() ? std::to_string(points) + " points" : "a point", {}});
  }
  return out;
}

Items tables(const Catalogue& catalogue) {
  Items out;
  for (const PublishedTable& table :
       read_published((catalogue.folder() / "published").string(), catalogue, {})) {
    std::size_t runnable = 0;
    for (const PublishedRow& row : table.rows) runnable += row.point ? 1 : 0;
    out.push_back({table.name,
                   table.rows.front().columns.value("source", "") + ", " +
                       std::to_string(table.rows.size()) + " rows, " + std::to_string(runnable) +
                       " of them can be run",
                   {}});
  }
  return out;
}

struct Kind {
  std::string name;
  std::function<Items(const Catalogue&)> items;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{{"machines", machines},
                                     {"kernels", kernels},
                                     {"policies", registered<PolicyChoice::Parts>},
                                     {"sizings", registered<SizingChoice::Parts>},
                                     {"controls", registered<HashControlChoice::Parts>},
                                     {"hashes", hashes},
                                     {"spinlocks", registered<SpinLockChoice::Parts>},
                                     {"protocols", registered<ProtocolChoice::Parts>},
                                     {"workloads", registered<WorkloadChoice::Parts>},
                                     {"experiments", experiments},
                                     {"calibrations", calibrations},
                                     {"hypotheses", hypotheses},
                                     {"tables", tables}};
  return all;
}

struct Schema {
  std::string name;
  std::function<json()> make;
};

json bounds_schema() {
  json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "bounds"},
                 {"type", "object"},
                 {"description", "by published table: what validate holds it to"},
                 {"properties", {{"$schema", {{"type", "string"}}}}}};
  schema["additionalProperties"] = ValidationBound::declaration().members_schema();
  return schema;
}

const std::vector<Schema>& schemas() {
  static const std::vector<Schema> all{
      {"bounds", bounds_schema},
      {"calibration", [] { return CalibrationRecipe::declaration().schema(); }},
      {"experiment", Experiment::schema},
      {"hypothesis", [] { return Hypothesis::declaration().schema(); }},
      {"kernel", [] { return KernelParameters::declaration().schema(); }},
      {"machine", [] { return MachineParameters::declaration().schema(); }}};
  return all;
}

std::string default_text(const ParameterInfo& parameter) {
  if (parameter.required) return "required";
  return parameter.default_value.is_null() ? "none" : parameter.default_value.dump();
}

}  // namespace

std::vector<std::string> inventory_kinds() {
  std::vector<std::string> out;
  for (const Kind& kind : kinds()) out.push_back(kind.name);
  return out;
}

Items inventory(const std::string& kind, const Catalogue& catalogue) {
  for (const Kind& known : kinds()) {
    if (known.name == kind) return known.items(catalogue);
  }
  assert(false && "a kind of inventory_kinds()");
  return {};
}

std::string inventory_text(const Items& items) {
  using enum TextTable::Align;
  TextTable names({{"name", left}, {"", left}});
  TextTable parameters(
      {{"of", left}, {"parameter", left}, {"default", left}, {"allowed", left}, {"", left}});
  bool any = false;
  for (const InventoryItem& item : items) {
    names.add({item.name, item.help});
    for (const ParameterInfo& parameter : item.parameters) {
      any = true;
      parameters.add(
          {item.name, parameter.name, default_text(parameter), parameter.type, parameter.help});
    }
  }
  std::string out = names.text();
  if (any) out += '\n' + parameters.text();
  return out;
}

ordered_json inventory_json(const Items& items) {
  ordered_json out = ordered_json::array();
  for (const InventoryItem& item : items) {
    ordered_json parameters = ordered_json::array();
    for (const ParameterInfo& parameter : item.parameters) {
      parameters.push_back({{"name", parameter.name},
                            {"allowed", parameter.type},
                            {"unit", parameter.unit},
                            {"help", parameter.help},
                            {"required", parameter.required},
                            {"default", parameter.default_value}});
    }
    out.push_back(
        {{"name", item.name}, {"help", item.help}, {"parameters", std::move(parameters)}});
  }
  return out;
}

std::vector<std::string> schema_names() {
  std::vector<std::string> out;
  for (const Schema& schema : schemas()) out.push_back(schema.name);
  return out;
}

json schema_of(const std::string& name) {
  for (const Schema& schema : schemas()) {
    if (schema.name == name) return schema.make();
  }
  assert(false && "a name of schema_names()");
  return {};
}

std::string machine_text(const Machine& machine) {
  using enum TextTable::Align;
  const json file = MachineParameters::declaration().write(machine.parameters());
  const Topology& topology = machine.topology();
  TextTable numbers({{"number", left},
                     {"value", right},
                     {"unit", left},
                     {"±", right},
                     {"origin", left},
                     {"fitted to", left},
                     {"source", left}});
  for (const SourcedNumber& number : sourced_numbers(file)) {
    const json& quantity = number.quantity;
    std::string tables;
    for (const json& table : quantity.value("tables", json::array())) {
      tables += (tables.empty() ? "" : " ") + table.get_ref<const std::string&>();
    }
    numbers.add({number.pointer, quantity.at("value").dump(), quantity.value("unit", ""),
                 quantity.contains("uncertainty") ? quantity.at("uncertainty").dump() : "",
                 quantity.value("origin", ""), tables, quantity.value("source", "")});
  }
  return machine.name() + ": " + machine.parameters().description + "\n" +
         std::to_string(topology.cpus()) + " CPUs, " + std::to_string(topology.cores()) +
         " cores, " + std::to_string(topology.l3_groups()) + " L3 groups, " +
         std::to_string(topology.nodes()) + " nodes (" + machine.parameters().topology.source +
         ")\ncoherence: " + machine.parameters().protocol.name() + "\n\n" + numbers.text();
}

}  // namespace futexsim
