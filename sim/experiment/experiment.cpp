#include "futexsim/experiment/experiment.hpp"

#include <algorithm>
#include <filesystem>

#include "futexsim/parts/nearest_name.hpp"

namespace futexsim {
namespace {

using nlohmann::json;
using Values = std::map<std::string, std::vector<Cursor>>;

/// The values of one combination, by their pointers.
using Combination = std::vector<std::pair<std::string, Cursor>>;

std::size_t zip_length(const SweepBlock& block) {
  return block.zip.empty() ? 1 : block.zip.begin()->second.size();
}

void check_block(const SweepBlock& block, const Cursor& at) {
  if (block.grid.empty() && block.zip.empty()) at.refuse("\"grid\" or \"zip\" with JSON pointers");
  for (const auto& [pointer, values] : block.zip) {
    if (block.grid.contains(pointer)) {
      throw at.at("zip").at(pointer).error("a pointer that the grid sweeps too",
                                           "it in one of the two");
    }
    if (values.size() == zip_length(block)) continue;
    at.at("zip").at(pointer).refuse(std::to_string(zip_length(block)) +
                                    " values, as in the first list of the zip");
  }
}

std::vector<SweepBlock> read_blocks(const Cursor& sweep) {
  std::vector<Cursor> blocks{sweep};
  if (sweep.is_array()) blocks = sweep.elements();
  if (blocks.empty()) sweep.refuse("at least one block");
  std::vector<SweepBlock> out;
  out.reserve(blocks.size());
  for (const Cursor& block : blocks) out.push_back(SweepBlock::declaration().read(block));
  return out;
}

std::size_t size_of(const SweepBlock& block) {
  std::size_t size = zip_length(block);
  for (const auto& [pointer, values] : block.grid) {
    size = std::min(size * values.size(), Experiment::most_points + 1);
  }
  return size;
}

/// The combination of that number, the zipped values varying fastest.
Combination combination(const SweepBlock& block, std::size_t number) {
  Combination out;
  const std::size_t zipped = number % zip_length(block);
  number /= zip_length(block);
  for (const auto& [pointer, values] : block.zip) out.emplace_back(pointer, values[zipped]);
  std::for_each(block.grid.rbegin(), block.grid.rend(), [&](const auto& axis) {
    out.emplace_back(axis.first, axis.second[number % axis.second.size()]);
    number /= axis.second.size();
  });
  // A whole is set before its parts.
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return out;
}

std::string place_of(const Cursor& value) {
  Location location = value.location();
  location.pointer.clear();
  return to_string(location);
}

}  // namespace

const Declaration<SweepBlock>& SweepBlock::declaration() {
  static const auto declaration =
      Declaration<SweepBlock>("sweep", "JSON pointers into the config and the values they take")
          .optional("grid", &SweepBlock::grid,
                    {.help = "every combination: {\"/policy/buckets\": [2, 4]}", .min_items = 1})
          .optional(
              "zip", &SweepBlock::zip,
              {.help = "first with first, second with second; lists of one length", .min_items = 1})
          .check(check_block);
  return declaration;
}

Experiment::Experiment(Document config) : base_(std::move(config)), sweep_(base_.take("sweep")) {
  if (!sweep_) return;
  blocks_ = read_blocks(sweep_);
  std::size_t points = 0;
  for (const SweepBlock& block : blocks_) points += size_of(block);
  if (points > most_points) {
    throw sweep_.error("a sweep of too many points",
                       "at most " + std::to_string(most_points) + " points");
  }
}

Document Experiment::read(const std::string& name_or_path, const Catalogue& catalogue) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (is_path(name_or_path) || fs::exists(name_or_path, error)) return Document::read(name_or_path);
  const std::vector<std::string> names = catalogue.experiments();
  if (std::find(names.begin(), names.end(), name_or_path) == names.end()) {
    throw InputError({.source = "config"}, in_quotes(name_or_path),
                     listed(names) + ", or a file's path", nearest_name(name_or_path, names));
  }
  return Document::read((catalogue.folder() / "experiments" / (name_or_path + ".json")).string());
}

bool Experiment::sweeps(const std::string& pointer) const {
  const auto covers = [&](const auto& axis) {
    return (pointer + '/').starts_with(axis.first + '/');
  };
  return std::any_of(blocks_.begin(), blocks_.end(), [&](const SweepBlock& block) {
    return std::any_of(block.grid.begin(), block.grid.end(), covers) ||
           std::any_of(block.zip.begin(), block.zip.end(), covers);
  });
}

std::vector<Point> Experiment::points(const Catalogue& catalogue) const {
  std::vector<Point> out;
  if (!is_sweep()) out.emplace_back(base_.cursor(), catalogue);
  for (const SweepBlock& block : blocks_) {
    for (std::size_t number = 0; number < size_of(block); ++number) {
      Document config = base_;
      for (const auto& [pointer, value] : combination(block, number)) {
        config.set(pointer, value.value(), place_of(value));
      }
      out.emplace_back(config.cursor(), catalogue);
    }
  }
  return out;
}

json Experiment::schema() {
  json schema = PointParameters::declaration().schema();
  const json block = SweepBlock::declaration().members_schema();
  schema["properties"]["sweep"] = {
      {"description", "A block, or a list of blocks whose points follow one another."},
      {"oneOf", {block, {{"type", "array"}, {"items", block}, {"minItems", 1}}}}};
  return schema;
}

}  // namespace futexsim
