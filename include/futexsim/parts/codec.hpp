#pragma once

#include <concepts>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "futexsim/parts/cursor.hpp"
#include "futexsim/parts/rules.hpp"

namespace futexsim {

template <class T>
class Declaration;

/// How a type of parameter is read, described and written; one specialisation for each type:
///   static T read(const Cursor&, const Rules&);                  InputError unless it fits
///   static nlohmann::json schema(const Rules&);
///   static nlohmann::json write(const T&);                       what read() reads back
///   static std::string type(const Rules&);                       for help: "integer", "list of
///   ..."
template <class T>
struct Codec;

/// A struct that is a parameter itself: it names its own declaration.
template <class T>
concept Declared = requires {
  { T::declaration() } -> std::same_as<const Declaration<T>&>;
};

template <>
struct Codec<bool> {
  static bool read(const Cursor& value, const Rules&) { return value.as_bool(); }
  static nlohmann::json schema(const Rules&) { return {{"type", "boolean"}}; }
  static nlohmann::json write(bool value) { return value; }
  static std::string type(const Rules&) { return "true or false"; }
};

template <std::integral T>
struct Codec<T> {
  static Rules bounded(const Rules& rules) {
    return rules::narrowed(rules, static_cast<double>(std::numeric_limits<T>::min()),
                           static_cast<double>(std::numeric_limits<T>::max()));
  }
  static T read(const Cursor& value, const Rules& rules) {
    if constexpr (std::signed_integral<T>) {
      return static_cast<T>(rules::read_signed(value, bounded(rules)));
    } else {
      return static_cast<T>(rules::read_unsigned(value, bounded(rules)));
    }
  }
  static nlohmann::json schema(const Rules& rules) {
    return rules::number_schema(bounded(rules), true);
  }
  static nlohmann::json write(T value) { return value; }
  static std::string type(const Rules& rules) {
    return rules::allowed_number(bounded(rules), true);
  }
};

template <>
struct Codec<double> {
  static double read(const Cursor& value, const Rules& rules) {
    return rules::read_number(value, rules);
  }
  static nlohmann::json schema(const Rules& rules) { return rules::number_schema(rules, false); }
  static nlohmann::json write(double value) { return value; }
  static std::string type(const Rules& rules) { return rules::allowed_number(rules, false); }
};

template <>
struct Codec<std::string> {
  static std::string read(const Cursor& value, const Rules& rules) {
    return rules::read_string(value, rules);
  }
  static nlohmann::json schema(const Rules& rules) { return rules::string_schema(rules); }
  static nlohmann::json write(const std::string& value) { return value; }
  static std::string type(const Rules& rules);
};

/// Absent is nullopt; null is refused.
template <class T>
struct Codec<std::optional<T>> {
  static std::optional<T> read(const Cursor& value, const Rules& rules) {
    return Codec<T>::read(value, rules);
  }
  static nlohmann::json schema(const Rules& rules) { return Codec<T>::schema(rules); }
  static nlohmann::json write(const std::optional<T>& value) {
    return value ? Codec<T>::write(*value) : nlohmann::json();
  }
  static std::string type(const Rules& rules) { return Codec<T>::type(rules); }
};

template <class T>
struct Codec<std::vector<T>> {
  static std::vector<T> read(const Cursor& list, const Rules& rules) {
    rules::check_items(list, rules);
    std::vector<T> out;
    for (const Cursor& element : list.elements()) out.push_back(Codec<T>::read(element, rules));
    return out;
  }
  static nlohmann::json schema(const Rules& rules) {
    return rules::list_schema(rules, Codec<T>::schema(rules));
  }
  static nlohmann::json write(const std::vector<T>& list) {
    nlohmann::json out = nlohmann::json::array();
    for (const auto& element : list) out.push_back(Codec<T>::write(element));
    return out;
  }
  static std::string type(const Rules& rules) { return "list of: " + Codec<T>::type(rules); }
};

template <class T>
struct Codec<std::map<std::string, T>> {
  static std::map<std::string, T> read(const Cursor& object, const Rules& rules) {
    std::map<std::string, T> out;
    for (const auto& [key, member] : object.members()) {
      out.emplace(key, Codec<T>::read(member, rules));
    }
    return out;
  }
  static nlohmann::json schema(const Rules& rules) {
    return {{"type", "object"}, {"additionalProperties", Codec<T>::schema(rules)}};
  }
  static nlohmann::json write(const std::map<std::string, T>& members) {
    nlohmann::json out = nlohmann::json::object();
    for (const auto& [key, member] : members) out[key] = Codec<T>::write(member);
    return out;
  }
  static std::string type(const Rules& rules) { return "object of: " + Codec<T>::type(rules); }
};

template <Declared T>
struct Codec<T> {
  static T read(const Cursor& value, const Rules&) { return T::declaration().read(value); }
  static nlohmann::json schema(const Rules&) { return T::declaration().members_schema(); }
  static nlohmann::json write(const T& value) { return T::declaration().write(value); }
  static std::string type(const Rules&) { return T::declaration().name(); }
};

/// Raw: kept for a part that is chosen by name and reads it later.
template <>
struct Codec<Cursor> {
  static Cursor read(const Cursor& value, const Rules&) { return value; }
  static nlohmann::json schema(const Rules&) { return nlohmann::json::object(); }
  static nlohmann::json write(const Cursor& value) {
    return value ? value.value() : nlohmann::json();
  }
  static std::string type(const Rules&) { return "any JSON"; }
};

template <>
struct Codec<nlohmann::json> {
  static nlohmann::json read(const Cursor& value, const Rules&) { return value.value(); }
  static nlohmann::json schema(const Rules&) { return nlohmann::json::object(); }
  static nlohmann::json write(const nlohmann::json& value) { return value; }
  static std::string type(const Rules&) { return "any JSON"; }
};

}  // namespace futexsim
