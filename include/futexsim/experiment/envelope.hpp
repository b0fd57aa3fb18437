#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "futexsim/experiment/catalogue.hpp"
#include "futexsim/experiment/point.hpp"

namespace futexsim {

/// How far the model may be from a real machine at a point, judged by the published rows most like
/// it. Sampling error comes on top.
struct ModelError {
  /// Root mean square of ln(simulated / published) over those rows; none if there are none.
  std::optional<double> expected;
  std::optional<double> worst;      ///< largest of them, as a part of the published value
  std::size_t rows = 0;             ///< that were taken
  std::size_t fitted = 0;           ///< of these, in whose sight numbers were chosen: in-sample
  std::vector<std::string> tables;  ///< in which these stand
  /// In what the point differs from all of them, for people; empty: the envelope holds it.
  std::vector<std::string> outside;
};

/// The published rows and what the model makes of them: configs/validated.csv, which is `futexsim
/// validate --format csv` of the shipped machines and kernels.
class Envelope {
 public:
  /// InputError for a file that isn't one. A folder without it has no validated rows.
  explicit Envelope(const Catalogue& catalogue);

  /// By the rows nearest in machine, policy, placement, kernel, threads and threads per bucket.
  ModelError at(const Point& point) const;

 private:
  /// What decides how alike two points are.
  struct Conditions {
    std::string machine, kernel, policy, hash;
    bool is_shared, on_one_node, shares_cpus;  ///< the last: more threads than CPUs
    double processes, threads, buckets;
    double threads_per_bucket() const { return processes * threads / buckets; }
  };
  struct Row {
    Conditions conditions;
    std::string table;
    bool is_fitted;
    double error;  ///< simulated / published - 1
  };
  /// Nothing for a workload that no published row has.
  static std::optional<Conditions> conditions_of(const Point& point);
  static std::vector<std::string> differences(const Conditions& point, const Conditions& row);
  bool same_protocol(const std::string& machine, const Point& point) const;
  std::size_t cpus_of(const std::string& machine, const std::string& placement) const;
  double distance(const Conditions& point, const Conditions& row, const Point& on) const;

  const Catalogue& catalogue_;
  std::vector<Row> rows_;
};

/// The row of results with that under "model_error".
nlohmann::ordered_json with_model_error(nlohmann::ordered_json row, const ModelError& error);

/// "expected model error 3.1 % (5 rows of e5-28, 5 of them fitted)", and in what the point is
/// outside, for people.
std::string to_string(const ModelError& error);

}  // namespace futexsim
