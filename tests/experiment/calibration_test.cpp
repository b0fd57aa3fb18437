#include "futexsim/experiment/calibration.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "../parts/message_of.hpp"
#include "../support/test_machine.hpp"
#include "futexsim/experiment/calibration_report.hpp"
#include "futexsim/experiment/machine_file.hpp"
#include "futexsim/experiment/point_runner.hpp"
#include "futexsim/experiment/provenance.hpp"
#include "futexsim/parts/text_file.hpp"
#include "scratch_folder.hpp"

using namespace futexsim;
using doctest::Approx;
using nlohmann::json;

namespace {

const Catalogue& catalogue() {
  static const Catalogue shipped(FUTEXSIM_SOURCE_DIR "/configs");
  return shipped;
}

/// Two nodes of four cores; the true values of what the tests fit.
TestMachine true_machine() {
  return TestMachine()
      .nodes(2)
      .cores_per_node(4)
      .same_l3(40)
      .other_l3(40)
      .crossing(70)
      .hold_window(6)
      .futex_wait(300)
      .atomic(5)
      .plain(1)
      .critical_section(16);
}

/// A machine's file and tables of a folder.
class Workplace {
 public:
  explicit Workplace(const TestMachine& machine) {
    write_file_atomically(folder_ / "machine.json", machine.json().dump());
  }

  /// A row of machine "test" for each number of buckets.
  Workplace& table(const std::string& name, int threads, const std::string& placement,
                   const std::vector<int>& buckets, const std::string& machine = "test") {
    for (const int count : buckets) {
      rows_.push_back(name + "," + machine + ",2024-rfc-v2," + std::to_string(threads) + "," +
                      placement + ",256,private,jhash2," + std::to_string(count) + ",");
    }
    return *this;
  }

  json recipe(const std::vector<std::string>& fit) const {
    return {{"machine", folder_ / "machine.json"},
            {"tables", {folder_ / "t.csv"}},
            {"fit", fit},
            {"replications", 3}};
  }

  /// With a rate of 1000 in each row.
  Calibration calibration(const json& recipe) const {
    write_tables(std::vector<double>(rows_.size(), 1000));
    return Calibration(Document("recipe", recipe), catalogue());
  }

  /// What the machine of the file does, with a seed of its own, becomes the truth; the fit is
  /// then told the recipe.
  Calibration calibration_of_truth(const TestMachine& start, const json& recipe) const {
    json truth = recipe;
    truth["seed"] = 99;
    truth.erase("start");
    const Calibration generator = calibration(truth);
    std::vector<Point> points;
    for (const CalibrationRow& row : generator.rows()) points.push_back(row.point);
    std::vector<double> rates;
    const auto simulated = run_replications(points, 4, 2, {});
    for (const std::vector<double>& of_point : *simulated) {
      rates.push_back((of_point[0] + of_point[1] + of_point[2] + of_point[3]) / 4);
    }
    write_tables(rates);
    write_file_atomically(folder_ / "machine.json", start.json().dump());
    return Calibration(Document("recipe", recipe), catalogue());
  }

  std::string refusal(const json& recipe) const {
    return message_of([&] { calibration(recipe); });
  }

 private:
  void write_tables(const std::vector<double>& rates) const {
    std::string text =
        "table,machine,kernel,threads,placement,futexes_per_thread,policy,hash,buckets,"
        "ops_per_sec_per_thread\n";
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      text += rows_[i] + std::to_string(rates[i]) + "\n";
    }
    write_file_atomically(folder_ / "t.csv", text);
  }

  ScratchFolder folder_;
  std::vector<std::string> rows_;
};

Cursor cursor_of(const std::string& text) {
  return Document("--fit", text).cursor();
}

}  // namespace

TEST_CASE("a machine's own results give its numbers back") {
  Workplace place(true_machine());
  place.table("all", 8, "all", {2, 8, 32, 128, 4096}).table("node", 4, "node0", {2, 16, 4096});
  const TestMachine start = true_machine().same_l3(30).crossing(45).futex_wait(240);
  json recipe = place.recipe({"links/0/one_way", "same_l3", "futex_wait"});
  recipe["start"] = {{"same_l3", 32}};
  const Calibration calibration = place.calibration_of_truth(start, recipe);
  const CalibrationResult result = calibrate(calibration, 2, {});

  CHECK(result.converged);
  CHECK_FALSE(result.start_kept);
  CHECK(result.numbers[0].number.start == 45);
  CHECK(result.numbers[1].number.start == 32);
  CHECK(result.numbers[0].value == Approx(70).epsilon(0.04));
  CHECK(result.numbers[1].value == Approx(40).epsilon(0.04));
  CHECK(result.numbers[2].value == Approx(300).epsilon(0.02));
  CHECK(result.all.before.log_rms > 0.1);
  CHECK(result.all.after.log_rms < 0.01);
  for (const FittedNumber& number : result.numbers) {
    CHECK(number.uncertainty.value() > 0);
    CHECK(number.shares[0] + number.shares[1] == Approx(1));
  }
  CHECK(result.tables[0].after.rows == 5);
  CHECK(result.tables[1].after.rows == 3);
}

TEST_CASE("a number that nothing depends on is called not identified") {
  Workplace place(true_machine());
  place.table("node", 4, "node0", {2, 8, 64, 1024});
  const Calibration calibration =
      place.calibration_of_truth(true_machine().futex_wait(310),
                                 place.recipe({"futex_wait", "links/0/one_way", "memory_access"}));
  const CalibrationResult result = calibrate(calibration, 2, {});
  CHECK(result.numbers[0].identified);
  CHECK_FALSE(result.numbers[1].identified);  // one node: nobody crosses
  CHECK(result.numbers[1].value == 70);
  CHECK_FALSE(result.numbers[1].uncertainty.has_value());
  const std::vector<std::string> warnings = calibration_warnings(result);
  CHECK(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
    return warning.starts_with("/topology/links/0/one_way: no table identifies it");
  }));
}

TEST_CASE("any number of jobs gives the same fit, and an interruption the best so far") {
  Workplace place(true_machine());
  place.table("node", 2, "node0", {2, 64, 1024});
  json recipe = place.recipe({"futex_wait"});
  recipe["replications"] = 2;
  recipe["iterations"] = 1;
  const Calibration calibration =
      place.calibration_of_truth(true_machine().futex_wait(200), recipe);
  const CalibrationResult one = calibrate(calibration, 1, {});
  const CalibrationResult two = calibrate(calibration, 2, {});
  CHECK(one.numbers[0].value == two.numbers[0].value);
  CHECK(one.all.after.log_rms == two.all.after.log_rms);
  CHECK(one.numbers[0].value == Approx(300).epsilon(0.2));

  std::size_t done = 0;
  // One point more: the step counts once the evaluation after it has begun.
  const std::size_t beyond_step = 3 * calibration.rows().size() + 1;
  const CalibrationResult cut = calibrate(calibration, 1,
                                          {.progress = [&](std::size_t points) { done = points; },
                                           .interrupted = [&] { return done >= beyond_step; }});
  CHECK(cut.interrupted);
  CHECK(cut.numbers[0].value == one.numbers[0].value);
  CHECK_FALSE(cut.numbers[0].uncertainty.has_value());
}

TEST_CASE("the recipe of a shipped machine improves on its start in two iterations") {
  json recipe = Calibration::read("e5-2650", catalogue()).root();
  recipe["replications"] = 2;
  recipe["iterations"] = 2;
  recipe["weights"].push_back({{"where", {{"buckets", {4, 16, 32, 128, 256, 512, 1024, 4096}}}},
                               {"weight", 0},
                               {"reason", "a short test"}});
  const Calibration calibration(Document("recipe", recipe), catalogue());
  const CalibrationResult result = calibrate(calibration, 2, {});
  CHECK_FALSE(result.start_kept);
  CHECK(result.all.after.log_rms < 0.5 * result.all.before.log_rms);
}

TEST_CASE("numbers go by their pointer or the end of it") {
  const json machine = true_machine().json();
  CHECK(number_named(machine, cursor_of("/memory/same_l3")) == "/memory/same_l3");
  CHECK(number_named(machine, cursor_of("same_l3")) == "/memory/same_l3");
  CHECK(number_named(machine, cursor_of("links/0/one_way")) == "/topology/links/0/one_way");
  CHECK(number_named(machine, cursor_of("smt_speed/0")) == "/smt_speed/0");

  const auto refusal = [&](const std::string& name) {
    return message_of([&] { number_named(machine, cursor_of(name)); });
  };
  CHECK(refusal("hold_windw").ends_with("(did you mean \"hold_window\"?)"));
  CHECK(refusal("l3").find("a number of the machine") != std::string::npos);
  CHECK(refusal("").find("a number of the machine") != std::string::npos);
  const TestMachine three_links = TestMachine().nodes(3);
  CHECK(message_of([&] {
          number_named(three_links.json(), cursor_of("one_way"));
        }).find("\"/topology/links/0/one_way\", \"/topology/links/1/one_way\"") !=
        std::string::npos);
}

TEST_CASE("bounds are the declared ones") {
  Workplace place(true_machine());
  place.table("t", 8, "all", {2, 4, 8, 16, 32, 64});
  const auto numbers =
      place.calibration(place.recipe({"same_l3", "upgrade", "smt_speed/0", "clock", "futex_wait"}))
          .numbers();
  const auto has_bounds = [&](std::size_t i, double least, double greatest) {
    CHECK(numbers[i].least == least);
    CHECK(numbers[i].greatest == greatest);
  };
  has_bounds(0, 0, 1e6);
  has_bounds(1, 0, 1);  // a parameter of the protocol that the machine chose
  has_bounds(2, 0.01, 1);
  has_bounds(3, 0.1, 20);
  has_bounds(4, 0, 1e6);
}

TEST_CASE("rows of other machines, of weight 0 and without a rate don't count") {
  Workplace place(true_machine());
  place.table("mine", 8, "all", {2, 4, 8})
      .table("mine", 8, "all", {16}, "e5-2650")
      .table("mine", 8, "node7", {16})
      .table("other", 4, "node1", {2, 4, 8});
  json recipe = place.recipe({"same_l3"});
  recipe["weights"] = {
      {{"where", {{"table", {"other"}}, {"buckets", {2, 4}}}}, {"weight", 0}, {"reason", "x"}},
      {{"where", {{"buckets", {4, 8}}}}, {"weight", 1.5}, {"reason", "x"}},
      {{"where", {{"placement", {"node1"}}}}, {"weight", 2}, {"reason", "x"}}};
  const Calibration calibration = place.calibration(recipe);
  CHECK(calibration.tables() == std::vector<std::string>{"mine", "other"});
  std::vector<double> weights;
  for (const CalibrationRow& row : calibration.rows()) weights.push_back(row.weight);
  CHECK(weights == std::vector<double>{1, 1.5, 1.5, 3});
  CHECK(calibration.rows().back().table == 1);
}

TEST_CASE("a recipe that can't be followed is refused at its place") {
  Workplace place(true_machine());
  place.table("t", 8, "all", {2, 4});
  const json good = place.recipe({"same_l3"});
  CHECK(place.refusal(good) == "no error");
  const auto refusal = [&](const json& change) {
    json recipe = good;
    recipe.merge_patch(change);
    return place.refusal(recipe);
  };
  const auto says = [](const std::string& message, const std::string& part) {
    CAPTURE(message);
    CHECK(message.find(part) != std::string::npos);
  };
  says(refusal({{"tables", {"e5-82"}}}), "(did you mean \"e5-28\"?)");
  says(refusal({{"tables", {"e5-28"}}}), "rows that run on \"test\"");
  says(refusal({{"machine", "e5-2560"}}), "(did you mean \"e5-2650\"?)");
  says(refusal({{"fit", {"same_l3", "/memory/same_l3"}}}), "each number once");
  says(refusal({{"fit", {"same_l3", "hold_window"}}}), "fewer numbers than rows");
  says(refusal({{"start", {{"hold_window", 3}}}}), "starts of numbers in \"fit\" only");
  says(refusal({{"start", {{"same_l3", 0}}}}), "a start of 0");
  says(refusal({{"start", {{"same_l3", 2e6}}}}), "1000000");
  says(refusal({{"start", {{"same_l3", 60}}}}), "at least same_l3");  // other_l3 is 40
  says(refusal({{"replications", 1}}), "from 2");
  says(refusal({{"frob", 1}}), "frob");
  const json weight{{"where", {{"buckets", {3}}}}, {"weight", 2}, {"reason", "x"}};
  says(refusal({{"weights", json::array({weight})}}), "a rule that holds for a row");
}

TEST_CASE("a new number changes its own entry and nothing else") {
  const std::string before = R"({
  "name": "x",
  "nodes": ["0-1", "2-3"],
  "b": {
    "value": 2.5,
    "unit": "ns",
    "origin": "guess",
    "source": "why"
  },
  "a": {
    "value": 1,
    "unit": "ns",
    "origin": "fitted",
    "source": "knee",
    "tables": ["old"],
    "uncertainty": 3
  }
}
)";
  const std::vector<NewNumber> numbers{{"/b", 3.25, 0.5}, {"/a", 2, {}}};
  CHECK(with_fitted_numbers(before, numbers, {"t", "u"}) == R"({
  "name": "x",
  "nodes": ["0-1", "2-3"],
  "b": {
    "value": 3.25,
    "unit": "ns",
    "origin": "fitted",
    "source": "chosen by least squares; before, guess: why",
    "tables": ["t", "u"],
    "uncertainty": 0.5
  },
  "a": {
    "value": 2,
    "unit": "ns",
    "origin": "fitted",
    "source": "knee",
    "tables": ["t", "u"]
  }
}
)");
}

TEST_CASE("shipped machines are laid out as they are written") {
  for (const std::string& name : catalogue().machines()) {
    CAPTURE(name);
    const std::string text =
        read_text_file(FUTEXSIM_SOURCE_DIR "/configs/machines/" + name + ".json");
    CHECK(json_text(nlohmann::ordered_json::parse(text)) == text);
  }
}

TEST_CASE("each table that a shipped number was fitted to is published") {
  std::vector<std::string> names;
  for (const PublishedTable& table :
       read_published(FUTEXSIM_SOURCE_DIR "/configs/published", catalogue(), {})) {
    names.push_back(table.name);
  }
  const auto check = [&](const std::string& folder, const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      const std::string path = FUTEXSIM_SOURCE_DIR "/configs/" + folder + "/" + file + ".json";
      for (const SourcedNumber& number : sourced_numbers(Document::read(path).root())) {
        for (const std::string& table :
             number.quantity.value("tables", std::vector<std::string>())) {
          CAPTURE(path);
          CAPTURE(number.pointer);
          CAPTURE(table);
          CHECK(std::find(names.begin(), names.end(), table) != names.end());
        }
      }
    }
  };
  check("machines", catalogue().machines());
  check("kernels", catalogue().kernels());
}

TEST_CASE("what a shipped recipe fits is marked as fitted, to tables of the recipe") {
  for (const std::string& name : catalogue().calibrations()) {
    CAPTURE(name);
    const Calibration calibration(Calibration::read(name, catalogue()), catalogue());
    CHECK(calibration.machine().name() == name);
    const json file = Document::read(calibration.machine_file()).root();
    for (const FreeNumber& number : calibration.numbers()) {
      CAPTURE(number.pointer);
      const json& quantity = file.at(json::json_pointer(number.pointer));
      CHECK(quantity.at("origin") == "fitted");
      for (const std::string table : quantity.at("tables")) {
        CAPTURE(table);
        const auto& known = calibration.tables();
        CHECK(std::find(known.begin(), known.end(), table) != known.end());
      }
    }
  }
}
