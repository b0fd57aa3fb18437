#include "futexsim/parts/registry.hpp"

#include <doctest/doctest.h>

#include "message_of.hpp"

using namespace futexsim;
using nlohmann::json;

namespace {

struct Table {
  explicit Table(int s) : size(s) {}
  int size;
};

struct PrivateParameters {
  int buckets = 16;
};

const Declaration<PrivateParameters>& private_declaration() {
  static const auto d =
      Declaration<PrivateParameters>("private", "One table for each process.")
          .optional("buckets", &PrivateParameters::buckets, {.min = 1, .max = 1024});
  return d;
}

const Declaration<PrivateParameters>& sized_declaration() {
  static const auto d = Declaration<PrivateParameters>("sized", "A size has to be given.")
                            .required("buckets", &PrivateParameters::buckets);
  return d;
}

const Declaration<NoParameters>& global_declaration() {
  static const Declaration<NoParameters> d("global", "One table for all.");
  return d;
}

/// Each bucket as large as the context says.
std::unique_ptr<Table> make_private(const PrivateParameters& p, int& bytes) {
  return std::make_unique<Table>(p.buckets * bytes);
}

const Register<Table, int&> sized{sized_declaration(), make_private};
const Register<Table, int&> of_process{private_declaration(), make_private};
const Register<Table, int&> of_all{global_declaration(), [](const NoParameters&, int& bytes) {
                                     return std::make_unique<Table>(8192 * bytes);
                                   }};

using Tables = Registry<Table, int&>;

struct Config {
  Choice<Table, int&> policy{"private"};
};

const Declaration<Config>& config() {
  static const auto d = Declaration<Config>("config", "").optional("policy", &Config::policy);
  return d;
}

Config read(const char* text) {
  return config().read(Document::parse(text, "c").cursor());
}

int size_of(const char* text) {
  int bytes = 64;
  return read(text).policy.make(bytes)->size;
}

std::string refusal(const char* text) {
  return message_of([&] { read(text); });
}

}  // namespace

TEST_CASE("parts are listed in name order, whatever the order of registration") {
  CHECK(Tables::instance().names() == std::vector<std::string>{"global", "private", "sized"});
  CHECK(Tables::instance().find("global")->help == "One table for all.");
  CHECK(Tables::instance().find("gobal") == nullptr);
  CHECK(Tables::instance().find("private")->parameters().at(0).name == "buckets");
}

TEST_CASE("a part is chosen by a name, with its parameters beside it or without") {
  CHECK(size_of(R"({"policy": "global"})") == 8192 * 64);
  CHECK(size_of(R"({"policy": {"name": "global"}})") == 8192 * 64);
  CHECK(size_of(R"({"policy": "private"})") == 16 * 64);
  CHECK(size_of(R"({"policy": {"name": "private", "buckets": 4}})") == 4 * 64);
  CHECK(size_of("{}") == 16 * 64);
}

TEST_CASE("an unknown part is refused with the nearest name") {
  CHECK(refusal(R"({"policy": "privat"})") ==
        "c:1:12: /policy: found the string \"privat\"; allowed: \"global\", \"private\", "
        "\"sized\" (did you mean \"private\"?)");
  CHECK(refusal(R"({"policy": {"buckets": 1, "name": "x"}})") ==
        "c:1:35: /policy/name: found the string \"x\"; allowed: \"global\", \"private\", "
        "\"sized\"");
}

TEST_CASE("a choice is checked when it is read, before the part is made") {
  CHECK(refusal(R"({"policy": {"name": "private", "bucket": 4}})") ==
        "c:1:32: /policy/bucket: found the unknown key \"bucket\"; allowed: \"buckets\" (did you "
        "mean \"buckets\"?)");
  CHECK(refusal(R"({"policy": {"name": "global", "buckets": 4}})") ==
        "c:1:31: /policy/buckets: found the unknown key \"buckets\"; allowed: nothing");
  CHECK(refusal(R"({"policy": {"name": "private", "buckets": 0}})") ==
        "c:1:43: /policy/buckets: found the number 0; allowed: an integer from 1 to 1024");
  CHECK(refusal(R"({"policy": "sized"})") ==
        "c:1:12: /policy: found no key \"buckets\"; allowed: \"buckets\" with an integer from "
        "-2147483648 to 2147483647");
  CHECK(refusal(R"({"policy": {"buckets": 1}})").starts_with("c:1:12: /policy: found no key"));
  CHECK(refusal(R"({"policy": {"name": 1}})").ends_with("found the number 1; allowed: a string"));
  CHECK(refusal(R"({"policy": 1})")
            .ends_with("the number 1; allowed: a name, or an object with \"name\" and parameters"));
}

TEST_CASE("a choice is written with all its parameters") {
  CHECK(config().write(read("{}")) == json{{"policy", {{"name", "private"}, {"buckets", 16}}}});
  CHECK(read(R"({"policy": "global"})").policy.resolved() == json{{"name", "global"}});
  CHECK(read(R"({"policy": "global"})").policy.name() == "global");
}

TEST_CASE("the schema of a choice has one branch for each part, and one for bare names") {
  const json choices = config().schema()["properties"]["policy"]["oneOf"];
  REQUIRE(choices.size() == 4);
  CHECK(choices[0] == json{{"enum", {"global", "private"}}});
  CHECK(choices[1]["properties"] == json{{"name", {{"const", "global"}}}});
  CHECK(choices[1]["additionalProperties"] == false);
  CHECK(choices[1]["required"] == json::array({"name"}));
  CHECK(choices[2]["properties"]["buckets"]["maximum"] == 1024);
  CHECK(choices[3]["required"] == json{"buckets", "name"});
}

TEST_CASE("two parts of one name are a mistake of the program") {
  CHECK_THROWS_WITH_AS((Register<Table, int&>{private_declaration(), make_private}),
                       "two parts register themselves as private", std::logic_error);
}

TEST_CASE("a part has no parameter called \"name\"") {
  static const auto d =
      Declaration<PrivateParameters>("p", "").optional("name", &PrivateParameters::buckets);
  CHECK_THROWS_AS((Register<Table, int&>{d, make_private}), std::logic_error);
}
