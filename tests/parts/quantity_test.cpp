#include "futexsim/parts/quantity.hpp"

#include <doctest/doctest.h>

#include "futexsim/parts/declaration.hpp"
#include "message_of.hpp"

using namespace futexsim;
using nlohmann::json;

namespace {

struct Costs {
  Quantity transfer;
};

const Declaration<Costs>& costs() {
  static const auto d =
      Declaration<Costs>("costs", "")
          .required("transfer", &Costs::transfer,
                    {.unit = "ns", .help = "One line, socket to socket.", .min = 0, .max = 1000});
  return d;
}

json number() {
  return {{"value", 51}, {"unit", "ns"}, {"origin", "published"}, {"source", "page 3"}};
}

Quantity read(const json& quantity) {
  return costs().read(Document("m", {{"transfer", quantity}}).cursor()).transfer;
}

std::string refusal(const json& change) {
  json quantity = number();
  quantity.update(change);
  return message_of([&] { read(quantity); });
}

}  // namespace

TEST_CASE("a quantity carries its unit and its provenance") {
  const Quantity q = read({{"value", 51.5},
                           {"unit", "ns"},
                           {"origin", "fitted"},
                           {"source", "calibration"},
                           {"tables", {"e5-28", "e5-14-nodes"}},
                           {"uncertainty", 2}});
  CHECK(q.value == 51.5);
  CHECK(q.unit == "ns");
  CHECK(q.origin == Origin::fitted);
  CHECK(q.source == "calibration");
  CHECK(q.tables == std::vector<std::string>{"e5-28", "e5-14-nodes"});
  CHECK(q.uncertainty == 2.0);
  for (const char* origin : {"published", "measured", "guess", "borrowed"}) {
    CHECK(refusal({{"origin", origin}}) == "no error");
  }
}

TEST_CASE("another unit is refused with the right one") {
  CHECK(refusal({{"unit", "us"}}) == "m: /transfer/unit: found the string \"us\"; allowed: \"ns\"");
}

TEST_CASE("the value must lie within its range") {
  CHECK(refusal({{"value", -1}}) ==
        "m: /transfer/value: found the number -1; allowed: a number from 0 to 1000 (ns)");
  CHECK(refusal({{"value", "51"}}).starts_with("m: /transfer/value: found the string \"51\""));
}

TEST_CASE("a number without a source is refused") {
  json bare = number();
  bare.erase("source");
  CHECK(message_of([&] { read(bare); }).starts_with("m: /transfer: found no key \"source\""));
  CHECK(refusal({{"source", ""}}).starts_with("m: /transfer/source: found the string \"\""));
  CHECK(refusal({{"source", " \n"}}).starts_with("m: /transfer/source: found"));
  CHECK(refusal({{"source", std::string(5000, 'x')}}) == "no error");
  CHECK(message_of([] { read(51); }) == "m: /transfer: found the number 51; allowed: an object");
}

TEST_CASE("tables belong to fitted numbers and only to them") {
  CHECK(refusal({{"origin", "fitted"}})
            .starts_with("m: /transfer: found origin \"fitted\" without \"tables\""));
  CHECK(refusal({{"origin", "fitted"}, {"tables", json::array()}})
            .starts_with("m: /transfer: found origin \"fitted\" without \"tables\""));
  CHECK(refusal({{"tables", {"e5-28"}}}) ==
        "m: /transfer/tables: found \"tables\" beside origin \"published\"; allowed: \"tables\" "
        "only where the origin is \"fitted\"");
  CHECK(refusal({{"origin", "fitted"}, {"tables", {"a", "a"}}})
            .ends_with("found the string \"a\" a second time; allowed: each element once"));
}

TEST_CASE("an uncertainty belongs to fitted and measured numbers") {
  CHECK(refusal({{"origin", "measured"}, {"uncertainty", 0}}) == "no error");
  CHECK(refusal({{"origin", "measured"}, {"uncertainty", -1}})
            .starts_with("m: /transfer/uncertainty: found the number -1"));
  CHECK(refusal({{"uncertainty", 1}}).starts_with("m: /transfer/uncertainty: found"));
}

TEST_CASE("an unknown origin is refused with the nearest") {
  CHECK(refusal({{"origin", "guessed"}}) ==
        "m: /transfer/origin: found the string \"guessed\"; allowed: \"published\", \"measured\", "
        "\"fitted\", \"guess\", \"borrowed\" (did you mean \"guess\"?)");
}

TEST_CASE("scaling rounds half away from zero") {
  CHECK(Quantity{.value = 51.5}.scaled(1000) == 51500);
  CHECK(Quantity{.value = 0.0005}.scaled(1000) == 1);
  CHECK(Quantity{.value = -0.0005}.scaled(1000) == -1);
  CHECK(Quantity{.value = 0.00049}.scaled(1000) == 0);
  CHECK_THROWS_AS(Quantity{.value = 1e300}.scaled(1000), std::logic_error);
}

TEST_CASE("what is written is read back, without what wasn't given") {
  CHECK(Codec<Quantity>::write(read(number())) == number());
}

TEST_CASE("the schema fixes unit, range and provenance") {
  const json schema = costs().schema()["properties"]["transfer"];
  CHECK(schema["description"] == "One line, socket to socket. In ns.");
  CHECK(schema["properties"]["unit"] == json{{"const", "ns"}});
  CHECK(schema["properties"]["value"] ==
        json{{"type", "number"}, {"minimum", 0.0}, {"maximum", 1000.0}});
  CHECK(schema["required"] == json{"value", "unit", "origin", "source"});
  CHECK(schema["properties"]["tables"]["minItems"] == 1);
  CHECK(schema["allOf"][0] ==
        json::parse(R"({"if": {"properties": {"origin": {"enum": ["fitted"]}}},
                        "then": {"required": ["tables"]},
                        "else": {"not": {"required": ["tables"]}}})"));
}
