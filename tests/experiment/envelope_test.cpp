#include "futexsim/experiment/envelope.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "../parts/message_of.hpp"
#include "futexsim/parts/text_file.hpp"
#include "scratch_folder.hpp"

using namespace futexsim;
using doctest::Approx;

namespace {

/// The shipped machines and kernels, and validated rows of a test's own: two of one curve of the
/// E5, one of a node of it, one of the EPYC.
class Folder {
 public:
  explicit Folder(const std::string& rows =
                      "e5,e5-2650,2024-rfc-v2,28,all,private,jhash2,64,1,0.10,fitted\n"
                      "e5,e5-2650,2024-rfc-v2,28,all,private,jhash2,32,1,-0.20,predicted\n"
                      "e5,e5-2650,2024-rfc-v2,28,all,private,jhash2,2,1,,fitted\n"
                      "node,e5-2650,2024-rfc-v2,14,node0,private,jhash2,64,1,0.01,fitted\n"
                      "epyc,epyc-7713,2024-rfc-v2,240,all,private,jhash2,512,1,0.05,fitted\n") {
    for (const char* part : {"machines", "kernels"}) {
      std::filesystem::copy(std::filesystem::path(FUTEXSIM_SOURCE_DIR "/configs") / part,
                            folder_ / part);
    }
    write_file_atomically(folder_ / "validated.csv",
                          "table,machine,kernel,threads,placement,policy,hash,buckets,processes,"
                          "error,role\n" +
                              rows);
  }
  Catalogue catalogue() const { return Catalogue(folder_ / ""); }

 private:
  ScratchFolder folder_;
};

nlohmann::json config(const char* machine, std::uint32_t threads, std::uint32_t buckets) {
  return {{"machine", machine},
          {"kernel", "2024-rfc-v2"},
          {"policy", {{"name", "private"}, {"buckets", buckets}}},
          {"workload", {{"name", "futex-hash"}, {"threads", threads}}}};
}

ModelError at(const Catalogue& catalogue, const nlohmann::json& config) {
  return Envelope(catalogue).at(Point(Document("test", config).cursor(), catalogue));
}

}  // namespace

TEST_CASE("a point between two rows has the root mean square of their log errors") {
  const Folder folder;
  const ModelError error = at(folder.catalogue(), config("e5-2650", 28, 64));
  CHECK(error.rows == 2);
  CHECK(error.fitted == 1);
  CHECK(to_string(error) == "expected model error 17.2 % (2 rows of e5, 1 of them fitted)");
  CHECK(error.tables == std::vector<std::string>{"e5"});
  const double a = std::log(1.1);
  const double b = std::log(0.8);
  CHECK(error.expected.value() == Approx(std::sqrt((a * a + b * b) / 2)));
  CHECK(error.worst.value() == Approx(0.2));
  CHECK(error.outside.empty());
}

TEST_CASE("a row without a published value, or one that is far, says nothing") {
  const Folder folder;
  // Two buckets: five doublings of threads per bucket from 64, four from 32.
  const ModelError error = at(folder.catalogue(), config("e5-2650", 28, 2));
  CHECK(error.outside == std::vector<std::string>{"threads per bucket 14 (measured: 0.88)"});
}

TEST_CASE("what no published row has is said") {
  const Folder folder;
  nlohmann::json v617 = config("e5-2650", 28, 64);
  v617["kernel"] = "v6.17";
  v617["policy"]["name"] = "percpu";
  const ModelError error = at(folder.catalogue(), v617);
  CHECK(error.outside == std::vector<std::string>{"kernel v6.17 (measured: 2024-rfc-v2)",
                                                  "policy percpu (measured: private)",
                                                  "hash jhash2_addr_offs (measured: jhash2)"});
  CHECK(error.expected.has_value());
}

TEST_CASE("threads that share CPUs are unlike any that have one each") {
  const Folder folder;
  const ModelError error = at(folder.catalogue(), config("e5-2650", 48, 64));
  CHECK(error.outside ==
        std::vector<std::string>{"CPUs fewer than threads (measured: one for each thread)"});
}

TEST_CASE("a machine without rows borrows those of its protocol, and says so") {
  const Folder folder;
  const ModelError error = at(folder.catalogue(), config("e7-8890-v3", 28, 64));
  CHECK(error.tables == std::vector<std::string>{"e5"});
  CHECK(error.outside == std::vector<std::string>{"machine e7-8890-v3 (measured: e5-2650)"});
}

TEST_CASE("a workload that no row has, or no rows at all: no expectation") {
  const Folder folder;
  nlohmann::json wake = config("e5-2650", 28, 64);
  wake["workload"]["name"] = "futex-wake";
  const ModelError error = at(folder.catalogue(), wake);
  CHECK_FALSE(error.expected.has_value());
  CHECK(error.outside == std::vector<std::string>{"workload futex-wake (no published row)"});
  CHECK(to_string(error) ==
        "no published row to judge the model by; outside the validated envelope: workload "
        "futex-wake (no published row)");
  const Folder none("");
  CHECK_FALSE(at(none.catalogue(), config("e5-2650", 28, 64)).expected.has_value());
}

TEST_CASE("a file that isn't such a table is refused where it is wrong") {
  const Folder folder("e5,e5-2650,2024-rfc-v2,28,all,private,jhash2,64,1,much,fitted\n");
  const std::string message = message_of([&] { Envelope{folder.catalogue()}; });
  CHECK(message.find("validated.csv:2:") != std::string::npos);
  CHECK(message.find("much") != std::string::npos);
}

TEST_CASE("impossible rows are refused") {
  const auto refusal = [](const std::string& row) {
    const Folder folder("e5," + row + "\n");
    return message_of([&] { Envelope{folder.catalogue()}; });
  };
  CHECK(refusal("e5-2650,2024-rfc-v2,0,all,private,jhash2,64,1,0.1,fitted").find("at least 1") !=
        std::string::npos);
  CHECK(refusal("e5-2650,2024-rfc-v2,28,all,private,jhash2,64,1,-1,fitted").find("above -1") !=
        std::string::npos);
  CHECK(refusal("e5-265,2024-rfc-v2,28,all,private,jhash2,64,1,0.1,fitted").find("\"e5-2650\"") !=
        std::string::npos);
}
