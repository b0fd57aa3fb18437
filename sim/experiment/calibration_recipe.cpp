#include <algorithm>
#include <filesystem>
#include <limits>

#include "futexsim/experiment/calibration.hpp"
#include "futexsim/experiment/provenance.hpp"
#include "futexsim/parts/nearest_name.hpp"
#include "futexsim/parts/text_file.hpp"

namespace futexsim {
namespace {

using nlohmann::json;

/// Of the choices of a part, the one that is chosen.
const json& chosen(const json& choices, const json& value) {
  for (const json& choice : choices) {
    const auto properties = choice.find("properties");
    if (properties == choice.end() || !properties->contains("name")) continue;
    if (properties->at("name").at("const") == value.at("name")) return choice;
  }
  return choices.front();
}

/// The schema of the value at `pointer` in a file, whose own schema is given.
const json& schema_at(const json& schema, const json& file, json::json_pointer pointer) {
  std::vector<std::string> keys;
  for (; !pointer.empty(); pointer.pop_back()) keys.push_back(pointer.back());
  const json* rules = &schema;
  const json* value = &file;
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    if (rules->contains("oneOf")) rules = &chosen(rules->at("oneOf"), *value);
    if (value->is_array()) {
      rules = &rules->at("items");
      value = &value->at(std::stoul(*key));
      continue;
    }
    const auto properties = rules->find("properties");
    const bool named = properties != rules->end() && properties->contains(*key);
    rules = named ? &properties->at(*key) : &rules->at("additionalProperties");
    value = &value->at(*key);
  }
  return *rules;
}

bool ends_with_keys(const std::string& pointer, const std::string& tail) {
  return pointer == tail || pointer.ends_with(tail.starts_with('/') ? tail : '/' + tail);
}

std::string last_key(const std::string& pointer) {
  return pointer.substr(pointer.rfind('/') + 1);
}

bool is_table_file(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".csv");
}

bool holds(const PublishedRow& row, const RowWeight& rule) {
  return std::all_of(rule.where.begin(), rule.where.end(), [&](const auto& condition) {
    const auto cell = row.columns.find(condition.first);
    if (cell == row.columns.end()) return false;
    return std::any_of(condition.second.begin(), condition.second.end(),
                       [&](const json& value) { return nlohmann::ordered_json(value) == *cell; });
  });
}

}  // namespace

const Declaration<RowWeight>& RowWeight::declaration() {
  using W = RowWeight;
  static const auto declaration =
      Declaration<W>("weight", "rows that count more or less than others")
          .required("where", &W::where,
                    {.help = "columns of the tables, each with the values of the rows meant"})
          .required(
              "weight", &W::weight,
              {.help = "of the squared log error; 0 leaves the rows out", .min = 0, .max = 1e3})
          .required("reason", &W::reason, {.help = "why"});
  return declaration;
}

const Declaration<CalibrationRecipe>& CalibrationRecipe::declaration() {
  using R = CalibrationRecipe;
  static const auto declaration =
      Declaration<R>("calibration", "which numbers of a machine to choose, and on which tables")
          .required("machine", &R::machine, {.help = "name in configs/machines, or a file"})
          .required(
              "tables", &R::tables,
              {.help = "names of published tables, or CSV files", .min_items = 1, .unique = true})
          .required("fit", &R::fit,
                    {.help = "JSON pointers of the machine's numbers, or their unambiguous ends",
                     .min_items = 1,
                     .max_items = 32,
                     .unique = true})
          .optional("start", &R::start,
                    {.help = "where numbers of \"fit\" start; by default as in the machine's file"})
          .optional("weights", &R::weights,
                    {.help = "rows that don't count once; all rules that hold multiply"})
          .optional("replications", &R::replications,
                    {.help = "of each row at each evaluation", .min = 2, .max = 1000})
          .optional("seed", &R::seed, {.help = "of the fit; the next one judges it"})
          .optional("iterations", &R::iterations,
                    {.help = "after which the fit ends, converged or not", .min = 1, .max = 1000});
  return declaration;
}

std::string number_named(const json& machine, const Cursor& name) {
  std::vector<std::string> pointers;
  std::vector<std::string> keys;
  for (const SourcedNumber& number : sourced_numbers(machine)) {
    keys.push_back(last_key(number.pointer));
    if (number.pointer == name.as_string()) return number.pointer;
    if (ends_with_keys(number.pointer, name.as_string())) pointers.push_back(number.pointer);
  }
  if (pointers.size() == 1) return pointers.front();
  if (pointers.size() > 1) name.refuse("one of " + listed(pointers));
  name.refuse("a number of the machine, as futexsim machine show names it",
              nearest_name(name.as_string(), keys));
}

Document Calibration::read(const std::string& name_or_path, const Catalogue& catalogue) {
  if (is_path(name_or_path)) return Document::read(name_or_path);
  const std::vector<std::string> names = catalogue.calibrations();
  if (std::find(names.begin(), names.end(), name_or_path) == names.end()) {
    throw InputError({.source = "--recipe"}, in_quotes(name_or_path),
                     listed(names) + ", or a file's path", nearest_name(name_or_path, names));
  }
  return Document::read((catalogue.folder() / "calibrations" / (name_or_path + ".json")).string());
}

Calibration::Calibration(const Document& recipe, const Catalogue& catalogue)
    : recipe_(CalibrationRecipe::declaration().read(recipe.cursor())),
      machine_file_(catalogue.machine_file(recipe_.machine)),
      machine_text_(read_text_file(machine_file_)),
      machine_document_(Document::parse(machine_text_, machine_file_)),
      inputs_{recipe.source(), machine_file_} {
  read_numbers(recipe.cursor());
  read_starts(recipe.cursor());
  read_rows(recipe.cursor(), catalogue);
  if (rows_.size() <= numbers_.size()) {
    recipe.cursor().at("fit").refuse("fewer numbers than rows, of which there are " +
                                     std::to_string(rows_.size()));
  }
}

void Calibration::read_numbers(const Cursor& recipe) {
  Machine{machine_document_.cursor()};  // before its numbers are looked at
  const json file = machine_document_.root();
  const json schema = MachineParameters::declaration().schema();
  for (const Cursor& name : recipe.at("fit").elements()) {
    const json::json_pointer place(number_named(file, name));
    const auto same = [&](const FreeNumber& other) { return other.pointer == place.to_string(); };
    if (std::any_of(numbers_.begin(), numbers_.end(), same)) name.refuse("each number once");
    const json& rules = schema_at(schema, file, place).at("properties").at("value");
    constexpr double unbounded = std::numeric_limits<double>::infinity();
    numbers_.push_back({.pointer = place.to_string(),
                        .unit = file.at(place).at("unit"),
                        .start = file.at(place).at("value"),
                        .least = rules.value("minimum", 0.0),
                        .greatest = rules.value("maximum", unbounded)});
  }
}

void Calibration::read_starts(const Cursor& recipe) {
  for (const auto& [name, value] : recipe_.start) {
    const Cursor at = recipe.at("start").at(name);
    const std::string place = to_string(at.location());
    const std::string pointer =
        number_named(machine_document_.root(), Document(place, name).cursor());
    const auto number =
        std::find_if(numbers_.begin(), numbers_.end(),
                     [&](const FreeNumber& other) { return other.pointer == pointer; });
    if (number == numbers_.end()) at.refuse("starts of numbers in \"fit\" only");
    number->start = value;
    machine_document_.set(pointer + "/value", value, place);
  }
  for (const FreeNumber& number : numbers_) {
    if (number.start > 0) continue;
    throw InputError(machine_document_.location(number.pointer + "/value"), "a start of 0",
                     "a number above 0, as its logarithm is fitted");
  }
  machine_ = std::make_shared<Machine>(machine_document_.cursor());
}

void Calibration::read_rows(const Cursor& recipe, Catalogue catalogue) {
  catalogue.stand_in(machine_->name(), machine_);
  catalogue.stand_in(recipe_.machine.as_string(), machine_);
  const RowSettings settings{.seed = recipe_.seed, .precision = {}};
  const std::vector<PublishedTable> published =
      read_published((catalogue.folder() / "published").string(), catalogue, settings);
  std::vector<std::string> names;
  for (const PublishedTable& table : published) names.push_back(table.name);
  std::vector<bool> used(recipe_.weights.size());
  for (const Cursor& at : recipe.at("tables").elements()) {
    const std::string& name = at.as_string();
    if (is_table_file(name)) {
      for (const auto& table : read_published(name, catalogue, settings)) add(table, at, used);
      continue;
    }
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      at.refuse(listed(names) + ", or a CSV file's path", nearest_name(name, names));
    }
    add(published[static_cast<std::size_t>(found - names.begin())], at, used);
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) recipe.at("weights").at(i).refuse("a rule that holds for a row");
  }
}

void Calibration::add(const PublishedTable& table, const Cursor& at, std::vector<bool>& used) {
  if (std::find(tables_.begin(), tables_.end(), table.name) != tables_.end()) {
    at.refuse("each table once; " + in_quotes(table.name) + " comes twice");
  }
  bool any = false;
  for (const PublishedRow& row : table.rows) {
    const bool runs = row.point && &row.point->machine() == machine_.get();
    if (!runs || !row.ops_per_sec_per_thread) continue;
    any = true;
    const double weight = weight_of(row, used);
    if (weight == 0) continue;
    rows_.push_back({tables_.size(), *row.point, *row.ops_per_sec_per_thread, weight});
  }
  if (!any) at.refuse("a table with rows that run on " + in_quotes(machine_->name()));
  tables_.push_back(table.name);
  inputs_.push_back(table.file);
}

double Calibration::weight_of(const PublishedRow& row, std::vector<bool>& used) const {
  double weight = 1;
  for (std::size_t i = 0; i < recipe_.weights.size(); ++i) {
    if (!holds(row, recipe_.weights[i])) continue;
    used[i] = true;
    weight *= recipe_.weights[i].weight;
  }
  return weight;
}

std::shared_ptr<const Machine> Calibration::variant(std::span<const double> values) const {
  Document file = machine_document_;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    file.set(numbers_[i].pointer + "/value", values[i], "calibration");
  }
  return std::make_shared<Machine>(file.cursor());
}

}  // namespace futexsim
