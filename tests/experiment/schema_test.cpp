#include <doctest/doctest.h>

#include "futexsim/experiment/inventory.hpp"
#include "futexsim/parts/document.hpp"
#include "futexsim/parts/text_file.hpp"

using namespace futexsim;

namespace {

const std::string configs = FUTEXSIM_SOURCE_DIR "/configs/";

}  // namespace

TEST_CASE("the tree's schemas are those of the declarations (target `schemas` writes them)") {
  for (const std::string& name : schema_names()) {
    CAPTURE(name);
    CHECK(read_text_file(configs + "schema/" + name + ".json") == schema_of(name).dump(2) + "\n");
  }
}

TEST_CASE("each shipped config names its schema") {
  const Catalogue catalogue(configs);
  const auto check = [](const std::string& folder, const std::vector<std::string>& names,
                        const std::string& schema) {
    for (const std::string& name : names) {
      CAPTURE(name);
      const Document document = Document::read(configs + folder + "/" + name + ".json");
      CHECK(document.root().value("$schema", "") == "../schema/" + schema + ".json");
    }
  };
  check("machines", catalogue.machines(), "machine");
  check("kernels", catalogue.kernels(), "kernel");
  check("experiments", catalogue.experiments(), "experiment");
  check("calibrations", catalogue.calibrations(), "calibration");
}

TEST_CASE("everything that configs can name is listed") {
  const Catalogue catalogue(configs);
  for (const std::string& kind : inventory_kinds()) {
    CAPTURE(kind);
    CHECK_FALSE(inventory(kind, catalogue).empty());
  }
}
