#include "futexsim/parts/declaration.hpp"

#include <doctest/doctest.h>

#include <cstdint>

#include "message_of.hpp"

using namespace futexsim;
using nlohmann::json;

namespace {

struct Cache {
  std::uint32_t ways = 8;
  static const Declaration<Cache>& declaration() {
    static const auto d = Declaration<Cache>("cache", "A cache.")
                              .required("ways", &Cache::ways, {.min = 1, .max = 64});
    return d;
  }
};

struct Everything {
  std::uint32_t threads = 0;
  bool shared = false;
  std::int8_t small = -1;
  std::int64_t lowest = 0;
  std::uint64_t highest = 0;
  double share = 0.5;
  std::string placement = "all";
  std::string node = "node0";
  std::optional<double> limit;
  std::vector<int> cpus;
  std::vector<std::string> tables;
  std::vector<bool> flags;
  Cache l1;
  std::vector<Cache> caches;
  std::map<std::string, Cache> by_name;
  json anything;
  Cursor raw;
};

const Declaration<Everything>& everything() {
  using E = Everything;
  static const auto d =
      Declaration<E>("everything", "Each type once.")
          .required("threads", &E::threads,
                    {.unit = "threads", .help = "How many.", .min = 1, .max = 65536})
          .optional("shared", &E::shared)
          .optional("small", &E::small)
          .optional("lowest", &E::lowest)
          .optional("highest", &E::highest)
          .optional("share", &E::share, {.min = 0, .max = 1})
          .optional("placement", &E::placement, {.allowed = {"all", "compact"}})
          .optional("node", &E::node, {.help = "node and its number", .pattern = "node[0-9]+"})
          .optional("limit", &E::limit, {.unit = "ns", .min = 0})
          .optional("cpus", &E::cpus, {.min = 0, .min_items = 1, .max_items = 4, .unique = true})
          .optional("tables", &E::tables)
          .optional("flags", &E::flags)
          .optional("l1", &E::l1)
          .optional("caches", &E::caches)
          .optional("by_name", &E::by_name)
          .optional("anything", &E::anything)
          .optional("raw", &E::raw)
          .check([](const E& e, const Cursor& at) {
            if (e.limit && e.shared) throw at.at("limit").error("a limit", "none if shared");
          });
  return d;
}

Everything read(const std::string& text) {
  return everything().read(Document::parse(text, "e.json").cursor());
}

std::string refusal(const std::string& text) {
  return message_of([&] { read(text); });
}

/// The message about one optional member.
std::string refusal_of(const std::string& member) {
  return refusal("{\"threads\": 1, " + member + "}");
}

}  // namespace

TEST_CASE("what isn't given keeps the member's initialiser") {
  const Everything e = read(R"({"threads": 28})");
  CHECK(e.threads == 28);
  CHECK(e.share == 0.5);
  CHECK(e.placement == "all");
  CHECK_FALSE(e.limit);
  CHECK_FALSE(e.raw);
  CHECK(e.l1.ways == 8);
}

TEST_CASE("each type of member is read") {
  const Everything e = read(R"({"$schema": "x", "threads": 65536, "shared": true, "small": -128,
      "lowest": -9223372036854775808, "highest": 18446744073709551615, "share": 1,
      "placement": "compact", "node": "node12", "cpus": [3, 1], "tables": ["a"],
      "flags": [true, false], "l1": {"ways": 2}, "caches": [{"ways": 3}, {"ways": 4}],
      "by_name": {"L2": {"ways": 5}}, "anything": [null], "raw": {"x": 1}})");
  CHECK(e.threads == 65536);
  CHECK(e.shared);
  CHECK(e.small == -128);
  CHECK(e.lowest == INT64_MIN);
  CHECK(e.highest == UINT64_MAX);
  CHECK(e.share == 1.0);
  CHECK(e.placement == "compact");
  CHECK(e.node == "node12");
  CHECK(e.cpus == std::vector<int>{3, 1});
  CHECK(e.tables == std::vector<std::string>{"a"});
  CHECK(e.flags == std::vector<bool>{true, false});
  CHECK(e.l1.ways == 2);
  CHECK(e.caches.at(1).ways == 4);
  CHECK(e.by_name.at("L2").ways == 5);
  CHECK(e.anything == json::array({nullptr}));
  CHECK(e.raw.at("x").location().column == 72);
}

TEST_CASE("an unknown key is refused, at the key, with the nearest name") {
  struct Two {
    int buckets = 1;
    int threads = 1;
  };
  const auto d = Declaration<Two>("two", "")
                     .optional("buckets", &Two::buckets)
                     .optional("threads", &Two::threads);
  const auto refused = [&](const char* text) {
    return message_of([&] { d.read(Document::parse(text, "t").cursor()); });
  };
  CHECK(refused("{\"threads\": 1,\n \"bukets\": 2}") ==
        "t:2:2: /bukets: found the unknown key \"bukets\"; allowed: \"buckets\", \"threads\" (did "
        "you mean \"buckets\"?)");
  CHECK(refused("{\"policy\": 2}") ==
        "t:1:2: /policy: found the unknown key \"policy\"; allowed: \"buckets\", \"threads\"");
}

TEST_CASE("a missing key is refused with what it takes") {
  CHECK(refusal("{}") ==
        "e.json:1:1: found no key \"threads\"; allowed: \"threads\" with an integer from 1 to "
        "65536 (threads)");
  CHECK(refusal_of("\"caches\": [{}]") ==
        "e.json:1:27: /caches/0: found no key \"ways\"; allowed: \"ways\" with an integer from 1 "
        "to 64");
}

TEST_CASE("a wrong type or value is refused") {
  const std::string threads = "; allowed: an integer from 1 to 65536 (threads)";
  for (const char* wrong : {"0", "-1", "65537", "1.5", "true", "null", "1e20",
                            "18446744073709551615", "-9223372036854775808"}) {
    CAPTURE(wrong);
    const std::string found = refusal(std::string("{\"threads\": ") + wrong + "}");
    CHECK(found.starts_with("e.json:1:13: /threads: found "));
    CHECK(found.ends_with(threads));
  }
  CHECK(refusal(R"({"threads": "8"})") ==
        "e.json:1:13: /threads: found the string \"8\"" + threads);
  CHECK(refusal("[]") == "e.json:1:1: found an array; allowed: an object");
  CHECK(refusal_of("\"small\": 128").ends_with("allowed: an integer from -128 to 127"));
  CHECK(refusal_of("\"lowest\": 9223372036854775808").ends_with("allowed: an integer"));
  CHECK(refusal_of("\"highest\": -1").ends_with("allowed: an integer of at least 0"));
  CHECK(refusal_of("\"share\": 1.01").ends_with("the number 1.01; allowed: a number from 0 to 1"));
  CHECK(refusal_of("\"shared\": 1").ends_with("the number 1; allowed: true or false"));
  CHECK(refusal_of("\"limit\": null").ends_with("null; allowed: a number of at least 0 (ns)"));
  CHECK(refusal_of("\"placement\": \"al\"")
            .ends_with("the string \"al\"; allowed: \"all\", \"compact\" (did you mean \"all\"?)"));
  CHECK(refusal_of("\"placement\": 1").ends_with("the number 1; allowed: \"all\", \"compact\""));
  CHECK(refusal_of("\"node\": \"node\"")
            .ends_with("a string that matches node[0-9]+ (node and its number)"));
  CHECK(refusal_of("\"node\": \"node" + std::string(1000000, '1') + "\"").size() < 300);
}

TEST_CASE("integers have neither fraction nor exponent") {
  CHECK(refusal(R"({"threads": 1e3})").ends_with("an integer from 1 to 65536 (threads)"));
  CHECK(refusal(R"({"threads": 8.0})").ends_with("an integer from 1 to 65536 (threads)"));
}

TEST_CASE("elements are checked one by one, and the list as a whole") {
  CHECK(refusal_of("\"cpus\": [0, -1]") ==
        "e.json:1:28: /cpus/1: found the number -1; allowed: an integer from 0 to 2147483647");
  CHECK(refusal_of("\"cpus\": []").ends_with("found an array of 0 values; allowed: at least 1"));
  CHECK(refusal_of("\"cpus\": [1,2,3,4,5]").ends_with("of 5 values; allowed: at most 4"));
  CHECK(refusal_of("\"cpus\": [1,2,1]") ==
        "e.json:1:29: /cpus/2: found the number 1 a second time; allowed: each element once");
  CHECK(refusal_of("\"cpus\": 1").ends_with("found the number 1; allowed: an array"));
  CHECK(refusal_of("\"by_name\": {\"a\": 1}") ==
        "e.json:1:33: /by_name/a: found the number 1; allowed: an object");
}

TEST_CASE("parameters that don't go together are refused by a check") {
  CHECK(refusal_of("\"shared\": true, \"limit\": 1") ==
        "e.json:1:41: /limit: found a limit; allowed: none if shared");
}

TEST_CASE("\"$schema\" is allowed at the root only") {
  CHECK(refusal_of("\"$schema\": \"x\"") == "no error");
  CHECK(refusal_of("\"l1\": {\"ways\": 1, \"$schema\": \"x\"}")
            .starts_with("e.json:1:34: /l1/$schema: found the unknown key"));
}

TEST_CASE("an override's error names the option") {
  Document d = Document::parse(R"({"threads": 1})", "e.json");
  d.set_from_option("--set", "/threads=none");
  CHECK(message_of([&] { everything().read(d.cursor()); }) ==
        "--set /threads: found the string \"none\"; allowed: an integer from 1 to 65536 (threads)");
}

TEST_CASE("what is written is read back") {
  const json written = everything().write(read(R"({"threads": 2, "limit": 3.5, "cpus": [4],
      "raw": {"x": 1}, "by_name": {"L2": {"ways": 5}}})"));
  CHECK(written["placement"] == "all");
  CHECK(written["limit"] == 3.5);
  CHECK(written["raw"] == json{{"x", 1}});
  CHECK_FALSE(written.contains("anything"));
  CHECK(everything().write(everything().read(Document("written", written).cursor())) == written);
}

TEST_CASE("the schema says what the reader enforces") {
  const json schema = everything().schema();
  CHECK(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema");
  CHECK(schema["title"] == "everything");
  CHECK(schema["type"] == "object");
  CHECK(schema["additionalProperties"] == false);
  CHECK(schema["required"] == json::array({"threads"}));
  const json& p = schema["properties"];
  CHECK(p["$schema"] == json{{"type", "string"}});
  CHECK(p["threads"] == json{{"type", "integer"},
                             {"minimum", 1},
                             {"maximum", 65536},
                             {"description", "How many. In threads."}});
  CHECK(p["share"] ==
        json{{"type", "number"}, {"minimum", 0.0}, {"maximum", 1.0}, {"default", 0.5}});
  CHECK(p["placement"] == json{{"enum", {"all", "compact"}}, {"default", "all"}});
  CHECK(p["node"]["pattern"] == "^(?:node[0-9]+)$");
  CHECK(p["cpus"]["items"] == json{{"type", "integer"}, {"minimum", 0}, {"maximum", INT32_MAX}});
  CHECK(p["cpus"]["minItems"] == 1);
  CHECK(p["cpus"]["uniqueItems"] == true);
  CHECK(p["l1"]["additionalProperties"] == false);
  CHECK(p["l1"]["required"] == json::array({"ways"}));
  CHECK(p["by_name"]["additionalProperties"]["properties"].contains("ways"));
  CHECK(p["raw"].empty());
}

TEST_CASE("parameters are listed in the order of their declaration") {
  const std::vector<ParameterInfo> all = everything().parameters();
  CHECK(all.size() == 17);
  CHECK(all[0].name == "threads");
  CHECK(all[0].required);
  CHECK(all[0].type == "an integer from 1 to 65536 (threads)");
  CHECK(all[6].type == "one of \"all\", \"compact\"");
  CHECK(all[6].default_value == "all");
}

TEST_CASE("a declaration that contradicts itself is a mistake of the program") {
  struct P {
    int x = 5;
  };
  CHECK_THROWS_AS(Declaration<P>("p", "").optional("x", &P::x).optional("x", &P::x),
                  std::logic_error);
  CHECK_THROWS_WITH_AS(Declaration<P>("p", "").optional("x", &P::x, {.max = 4}),
                       "default of p.x: found the number 5; allowed: an integer from -2147483648 "
                       "to 4",
                       std::logic_error);
}
