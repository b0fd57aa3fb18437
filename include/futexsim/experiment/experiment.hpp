#pragma once

#include <map>
#include <string>
#include <vector>

#include "futexsim/experiment/point.hpp"
#include "futexsim/parts/document.hpp"

namespace futexsim {

/// One block of a sweep: JSON pointers and the values that they take.
struct SweepBlock {
  std::map<std::string, std::vector<Cursor>> grid;  ///< every combination
  std::map<std::string, std::vector<Cursor>> zip;   ///< first with first, second with second

  static const Declaration<SweepBlock>& declaration();
};

/// A config file: a point, and perhaps a "sweep" over points: a block, or a list of blocks whose
/// points follow one another.
class Experiment {
 public:
  static constexpr std::size_t most_points = 1'000'000;

  /// InputError when the sweep isn't one. The point is read by points().
  explicit Experiment(Document config);

  /// A file by its path, or by its name in configs/experiments.
  static Document read(const std::string& name_or_path, const Catalogue& catalogue);

  bool is_sweep() const { return static_cast<bool>(sweep_); }
  /// Where the sweep stands. Requires is_sweep().
  const Cursor& sweep() const { return sweep_; }
  /// Does the sweep set the value at `pointer`, by itself or as part of a whole?
  bool sweeps(const std::string& pointer) const;

  /// In order: blocks as listed; within one, pointers in name order, the last varies fastest,
  /// and the zipped ones faster than those. One point without a sweep. InputError for the first
  /// that is wrong.
  std::vector<Point> points(const Catalogue& catalogue) const;

  /// JSON Schema of config files.
  static nlohmann::json schema();

 private:
  Document base_;
  Cursor sweep_;
  std::vector<SweepBlock> blocks_;
};

}  // namespace futexsim
