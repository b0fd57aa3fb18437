#include "futexsim/experiment/catalogue.hpp"

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "futexsim/parts/nearest_name.hpp"

namespace futexsim {

struct Catalogue::Cache {
  std::mutex mutex;
  std::map<std::filesystem::path, std::shared_ptr<const Machine>> machines;
  std::map<std::filesystem::path, std::shared_ptr<const KernelParameters>> kernels;
};

namespace {

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& file : std::filesystem::directory_iterator(folder, missing)) {
    if (file.path().extension() == ".json") names.push_back(file.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::filesystem::path file_of(const Cursor& at, const std::filesystem::path& folder) {
  const std::string& name = at.as_string();
  if (is_path(name)) return name;
  const std::vector<std::string> names = names_in(folder);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    at.refuse(listed(names) + ", or a file's path", nearest_name(name, names));
  }
  return folder / (name + ".json");
}

}  // namespace

namespace {

/// A file, with the changes that a hypothesis has for its name.
Document changed(const std::filesystem::path& file, const Cursor& name,
                 const std::map<std::string, Hypothesis::Changes>* changes) {
  Document out = Document::read(file);
  if (changes == nullptr || !changes->contains(name.as_string())) return out;
  for (const auto& [pointer, value] : changes->at(name.as_string())) {
    out.set(pointer, value.value(), to_string(value.location()));
  }
  return out;
}

/// Changes to what no file describes would change nothing.
void require_known(const std::map<std::string, Hypothesis::Changes>& changes,
                   const std::string& kind, const std::vector<std::string>& known) {
  for (const auto& [name, values] : changes) {
    const bool exists = std::find(known.begin(), known.end(), name) != known.end();
    if (exists || is_path(name) || values.empty()) continue;
    throw InputError(values.begin()->second.location(), "the " + kind + " " + in_quotes(name),
                     listed(known), nearest_name(name, known));
  }
}

}  // namespace

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".json");
}

Catalogue::Catalogue(std::filesystem::path configs)
    : configs_(std::move(configs)), cache_(std::make_shared<Cache>()) {}

std::filesystem::path Catalogue::default_folder() {
  if (const char* const folder = std::getenv("FUTEXSIM_CONFIGS")) return folder;
  return FUTEXSIM_SOURCE_CONFIGS;
}

std::shared_ptr<const Machine> Catalogue::machine(const Cursor& name) const {
  if (const auto found = stand_ins_.find(name.as_string()); found != stand_ins_.end()) {
    return found->second;
  }
  const std::filesystem::path file = machine_file(name);
  const std::lock_guard lock(cache_->mutex);
  std::shared_ptr<const Machine>& entry = cache_->machines[file];
  if (!entry) {
    const auto* const changes = hypothesis_ ? &hypothesis_->machines : nullptr;
    entry = std::make_shared<Machine>(changed(file, name, changes).cursor());
  }
  return entry;
}

std::shared_ptr<const KernelParameters> Catalogue::kernel(const Cursor& name) const {
  const std::filesystem::path file = file_of(name, configs_ / "kernels");
  const std::lock_guard lock(cache_->mutex);
  std::shared_ptr<const KernelParameters>& entry = cache_->kernels[file];
  if (!entry) {
    const auto* const changes = hypothesis_ ? &hypothesis_->kernels : nullptr;
    entry = std::make_shared<KernelParameters>(
        KernelParameters::declaration().read(changed(file, name, changes).cursor()));
  }
  return entry;
}

std::filesystem::path Catalogue::machine_file(const Cursor& name) const {
  return file_of(name, configs_ / "machines");
}

void Catalogue::stand_in(const std::string& name, std::shared_ptr<const Machine> machine) {
  stand_ins_[name] = std::move(machine);
}

Catalogue Catalogue::assuming(const Hypothesis& hypothesis) const {
  Catalogue out = *this;
  out.hypothesis_ = std::make_shared<Hypothesis>(hypothesis);
  out.cache_ = std::make_shared<Cache>();
  return out;
}

Hypothesis Catalogue::hypothesis(const Cursor& name) const {
  const std::filesystem::path file = file_of(name, configs_ / "hypotheses");
  Hypothesis out = Hypothesis::declaration().read(Document::read(file).cursor());
  require_known(out.machines, "machine", machines());
  require_known(out.kernels, "kernel", kernels());
  return out;
}

std::vector<std::string> Catalogue::hypotheses() const {
  return names_in(configs_ / "hypotheses");
}
std::vector<std::string> Catalogue::machines() const {
  std::vector<std::string> names = names_in(configs_ / "machines");
  for (const auto& [name, machine] : stand_ins_) {
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (!known && !is_path(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}
std::vector<std::string> Catalogue::kernels() const {
  return names_in(configs_ / "kernels");
}
std::vector<std::string> Catalogue::calibrations() const {
  return names_in(configs_ / "calibrations");
}
std::vector<std::string> Catalogue::experiments() const {
  return names_in(configs_ / "experiments");
}

}  // namespace futexsim
