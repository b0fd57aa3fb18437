#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "futexsim/parts/codec.hpp"
#include "futexsim/parts/cursor.hpp"
#include "futexsim/parts/rules.hpp"

namespace futexsim {

/// A parameter as `list` prints it and a schema describes it.
struct ParameterInfo {
  std::string name;
  std::string type;  ///< what is allowed: "an integer from 1 to 65536 (threads)"
  std::string unit;
  std::string help;
  bool required;
  nlohmann::json default_value;  ///< null when there is none
  nlohmann::json schema;
};

namespace declaration_detail {

/// Refuses what isn't an object, and the first key that isn't in `known`.
void check_keys(const Cursor& object, const std::vector<std::string>& known,
                std::string_view beside);
[[noreturn]] void refuse_missing(const Cursor& object, const ParameterInfo& parameter);
nlohmann::json object_schema(const std::string& help, const std::vector<ParameterInfo>& parameters);
nlohmann::json as_document_schema(const std::string& name, nlohmann::json schema);

}  // namespace declaration_detail

/// The parameters of T, each declared once, by one statement that is its parser, default,
/// documentation and schema. T's own member initialisers are the defaults.
///
///   static const auto declaration =
///       Declaration<Parameters>("futex-hash", "perf bench futex hash")
///           .required("threads", &Parameters::threads, {.unit = "threads", .min = 1})
///           .optional("placement", &Parameters::placement, {.allowed = {"all", "node"}});
///
/// A declaration that contradicts itself (a name twice, a default outside its own bounds) is a
/// std::logic_error where it is made. Constant afterwards, safe to use from several threads.
template <class T>
class Declaration {
 public:
  Declaration(std::string name, std::string help)
      : name_(std::move(name)), help_(std::move(help)) {}

  template <class Member>
  Declaration&& required(std::string name, Member T::*member, Rules rules = {}) && {
    add(std::move(name), member, std::move(rules), true);
    return std::move(*this);
  }

  template <class Member>
  Declaration&& optional(std::string name, Member T::*member, Rules rules = {}) && {
    add(std::move(name), member, std::move(rules), false);
    return std::move(*this);
  }

  /// What no parameter can say alone: `check(parameters, cursor)` throws cursor.error(...), or
  /// cursor.at("name").refuse(...), when they don't go together.
  Declaration&& check(std::function<void(const T&, const Cursor&)> check) && {
    checks_.push_back(std::move(check));
    return std::move(*this);
  }

  /// InputError for an unknown key (the nearest name is suggested), a missing one, a wrong type
  /// or a value out of bounds. "$schema" is allowed at the root of a document.
  T read(const Cursor& object) const { return read(object, {}); }

  /// The parameters of a part whose name stands beside them, under the key `beside`: a bare
  /// string is a name without parameters.
  T read(const Cursor& object, std::string_view beside) const {
    T out{};
    const bool bare = !beside.empty() && object.is_string();
    if (!bare) declaration_detail::check_keys(object, names_, beside);
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const auto member = bare ? std::nullopt : object.find(names_[i]);
      if (member) {
        fields_[i].read(out, *member);
      } else if (fields_[i].required) {
        declaration_detail::refuse_missing(object, info(i));
      }
    }
    for (const auto& check : checks_) check(out, object);
    return out;
  }

  /// Every parameter with its value, defaults too; what read() reads back.
  nlohmann::json write(const T& parameters) const {
    nlohmann::json out = nlohmann::json::object();
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      nlohmann::json value = fields_[i].write(parameters);
      if (!value.is_null()) out[names_[i]] = std::move(value);
    }
    return out;
  }

  /// A JSON Schema (draft 2020-12) of documents that hold a T.
  nlohmann::json schema() const {
    return declaration_detail::as_document_schema(name_, members_schema());
  }

  /// The same for a T inside another object.
  nlohmann::json members_schema() const {
    return declaration_detail::object_schema(help_, parameters());
  }

  const std::string& name() const { return name_; }
  const std::string& help() const { return help_; }
  std::vector<ParameterInfo> parameters() const {
    std::vector<ParameterInfo> out;
    for (std::size_t i = 0; i < fields_.size(); ++i) out.push_back(info(i));
    return out;
  }

 private:
  struct Field {
    Rules rules;
    bool required;
    std::function<void(T&, const Cursor&)> read;
    std::function<nlohmann::json(const T&)> write;
    std::function<nlohmann::json()> schema;
    std::function<std::string()> type;
  };

  template <class Member>
  void add(std::string name, Member T::*member, Rules rules, bool required) {
    for (const std::string& other : names_) {
      if (other == name) throw std::logic_error(name_ + ": parameter " + name + " declared twice");
    }
    Field field{
        .rules = rules,
        .required = required,
        .read = [=](T& out, const Cursor& at) { out.*member = Codec<Member>::read(at, rules); },
        .write = [=](const T& from) { return Codec<Member>::write(from.*member); },
        .schema = [=] { return Codec<Member>::schema(rules); },
        .type = [=] { return Codec<Member>::type(rules); }};
    if constexpr (std::is_arithmetic_v<Member> || std::is_same_v<Member, std::string>) {
      if (!required) check_default(name, field);
    }
    names_.push_back(std::move(name));
    fields_.push_back(std::move(field));
  }

  void check_default(const std::string& name, const Field& field) const {
    try {
      T out{};
      field.read(out, Document(name_ + "." + name, field.write(out)).cursor());
    } catch (const InputError& error) {
      throw std::logic_error(std::string("default of ") + error.what());
    }
  }

  ParameterInfo info(std::size_t i) const {
    const Field& field = fields_[i];
    return {.name = names_[i],
            .type = field.type(),
            .unit = field.rules.unit,
            .help = field.rules.help,
            .required = field.required,
            .default_value = field.required ? nlohmann::json() : field.write(T{}),
            .schema = field.schema()};
  }

  std::string name_;
  std::string help_;
  std::vector<std::string> names_;
  std::vector<Field> fields_;
  std::vector<std::function<void(const T&, const Cursor&)>> checks_;
};

/// For parts without parameters: `Declaration<NoParameters>("private", "...")`.
struct NoParameters {};

}  // namespace futexsim
