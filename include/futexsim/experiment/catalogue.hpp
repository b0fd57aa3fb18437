#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "futexsim/experiment/hypothesis.hpp"
#include "futexsim/hardware/machine.hpp"
#include "futexsim/kernel/kernel.hpp"
#include "futexsim/parts/cursor.hpp"

namespace futexsim {

/// Is it a file's path (has a '/' or ends in `.json`), not a name in a configs folder?
bool is_path(std::string_view name);

/// The machines and kernels that configs name: files of a configs folder, or any file by its path.
/// Read once, on first use; safe to use from several threads.
class Catalogue {
 public:
  explicit Catalogue(std::filesystem::path configs);

  /// The folder that $FUTEXSIM_CONFIGS names, else that of the source tree or the installation.
  static std::filesystem::path default_folder();
  const std::filesystem::path& folder() const { return configs_; }

  /// `name`: of a file in configs/machines without `.json`, or a path. InputError at the
  /// cursor, with the nearest name, when there is no such thing.
  std::shared_ptr<const Machine> machine(const Cursor& name) const;
  std::shared_ptr<const KernelParameters> kernel(const Cursor& name) const;

  /// The file that `name` means; it exists unless `name` is a path.
  std::filesystem::path machine_file(const Cursor& name) const;
  /// From now on, `name` means this machine, here and in later copies of the catalogue.
  void stand_in(const std::string& name, std::shared_ptr<const Machine> machine);

  /// The same files, with what the hypothesis changes in them.
  Catalogue assuming(const Hypothesis& hypothesis) const;
  /// Of a name in configs/hypotheses, or a path.
  Hypothesis hypothesis(const Cursor& name) const;

  std::vector<std::string> machines() const;
  std::vector<std::string> kernels() const;
  std::vector<std::string> calibrations() const;
  std::vector<std::string> experiments() const;
  std::vector<std::string> hypotheses() const;

 private:
  struct Cache;
  std::filesystem::path configs_;
  std::map<std::string, std::shared_ptr<const Machine>> stand_ins_;
  std::shared_ptr<const Hypothesis> hypothesis_;  ///< null: none
  std::shared_ptr<Cache> cache_;
};

}  // namespace futexsim
