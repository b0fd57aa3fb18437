#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "futexsim/parts/declaration.hpp"
#include "futexsim/parts/nearest_name.hpp"

namespace futexsim {

/// The key under which a part's name stands, beside the part's own parameters.
inline constexpr const char* part_name_key = "name";

namespace registry_detail {

/// The cursor at the name in `"private"` or `{"name": "private", ...}`.
Cursor name_in(const Cursor& choice);
nlohmann::json named(const std::string& name, nlohmann::json parameters);
nlohmann::json named_schema(const std::string& name, nlohmann::json parameters_schema);

}  // namespace registry_detail

/// The parts of one kind, by the name that configs use. `Context` is what a part is built on.
/// Filled by static Register objects before main() and constant from then on.
template <class Part, class... Context>
class Registry {
 public:
  struct Entry {
    std::string name;
    std::string help;
    /// Reads the part's parameters from a choice (below) and builds it.
    std::function<std::unique_ptr<Part>(const Cursor& choice, Context... context)> make;
    /// The choice with all parameters, defaults too. InputError when one doesn't fit.
    std::function<nlohmann::json(const Cursor& choice)> resolve;
    std::function<nlohmann::json()> schema;  ///< of a choice of this part, as an object
    std::function<std::vector<ParameterInfo>()> parameters;
  };

  static const Registry& instance() { return mutable_instance(); }

  /// The entry that a choice names: `"private"` or `{"name": "private", "buckets": 4}`.
  /// InputError with the nearest name when there is none.
  const Entry& at(const Cursor& choice) const {
    const Cursor name = registry_detail::name_in(choice);
    if (const Entry* entry = find(name.as_string())) return *entry;
    name.refuse(listed(names()), nearest_name(name.as_string(), names()));
  }

  const Entry* find(const std::string& name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : &found->second;
  }

  /// By name, in name order.
  const std::map<std::string, Entry>& entries() const { return entries_; }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& [name, entry] : entries_) out.push_back(name);
    return out;
  }

  /// Of a choice, by any name.
  nlohmann::json schema() const {
    nlohmann::json choices = nlohmann::json::array({{{"enum", bare_names()}}});
    for (const auto& [name, entry] : entries_) choices.push_back(entry.schema());
    return {{"oneOf", std::move(choices)}};
  }

 private:
  template <class P, class... C>
  friend class Register;

  static Registry& mutable_instance() {
    static Registry registry;
    return registry;
  }

  void add(Entry entry) {
    const std::string name = entry.name;
    if (!entries_.emplace(name, std::move(entry)).second) {
      throw std::logic_error("two parts register themselves as " + name);
    }
  }

  /// Those that need no parameter.
  std::vector<std::string> bare_names() const {
    std::vector<std::string> out;
    for (const auto& [name, entry] : entries_) {
      const std::vector<ParameterInfo> all = entry.parameters();
      if (std::none_of(all.begin(), all.end(), [](const auto& p) { return p.required; })) {
        out.push_back(name);
      }
    }
    return out;
  }

  std::map<std::string, Entry> entries_;
};

/// Registers a part by being constructed, as a static object in the part's own .cpp:
///
///   const Register<SpinLock, Kernel&> ticket{
///       declaration(), [](const Parameters& p, Kernel& kernel) {
///         return std::make_unique<TicketLock>(p, kernel); }};
///
/// Name and help are the declaration's, which must live as long as the program. A name that is
/// taken is a std::logic_error, which ends the program before main().
template <class Part, class... Context>
class Register {
 public:
  template <class Parameters, class Factory>
  Register(const Declaration<Parameters>& declaration, Factory factory) {
    const Declaration<Parameters>* declared = &declaration;
    for (const ParameterInfo& parameter : declaration.parameters()) {
      if (parameter.name == part_name_key) {
        throw std::logic_error(declaration.name() + ": a part's parameter can't be called " +
                               part_name_key);
      }
    }
    Registry<Part, Context...>::mutable_instance().add(
        {.name = declaration.name(),
         .help = declaration.help(),
         .make = [declared, factory](const Cursor& choice,
                                     Context... context) -> std::unique_ptr<Part> {
           return factory(declared->read(choice, part_name_key), std::forward<Context>(context)...);
         },
         .resolve =
             [declared](const Cursor& choice) {
               return registry_detail::named(
                   declared->name(), declared->write(declared->read(choice, part_name_key)));
             },
         .schema =
             [declared] {
               return registry_detail::named_schema(declared->name(), declared->members_schema());
             },
         .parameters = [declared] { return declared->parameters(); }});
  }
};

/// A part that a config chose: a type of parameter. Reading it checks the name and the part's
/// own parameters; the part itself is made later, as often as wanted.
template <class Part, class... Context>
class Choice {
 public:
  using Parts = Registry<Part, Context...>;

  /// Nothing chosen; only the conversion to bool may be called.
  Choice() = default;
  /// A default: the part of that name with its own defaults. The name is looked up when used.
  explicit Choice(const std::string& name) : cursor_(Document("default", name).cursor()) {}
  explicit Choice(const Cursor& choice) : cursor_(choice) { resolved(); }

  explicit operator bool() const { return static_cast<bool>(cursor_); }
  const std::string& name() const { return Parts::instance().at(cursor_).name; }
  const Cursor& cursor() const { return cursor_; }
  nlohmann::json resolved() const { return Parts::instance().at(cursor_).resolve(cursor_); }

  std::unique_ptr<Part> make(Context... context) const {
    return Parts::instance().at(cursor_).make(cursor_, std::forward<Context>(context)...);
  }

 private:
  Cursor cursor_;
};

template <class Part, class... Context>
struct Codec<Choice<Part, Context...>> {
  using Parts = Registry<Part, Context...>;
  static Choice<Part, Context...> read(const Cursor& choice, const Rules&) {
    return Choice<Part, Context...>(choice);
  }
  static nlohmann::json schema(const Rules&) { return Parts::instance().schema(); }
  static nlohmann::json write(const Choice<Part, Context...>& choice) {
    return choice ? choice.resolved() : nlohmann::json();
  }
  static std::string type(const Rules&) { return "one of " + listed(Parts::instance().names()); }
};

}  // namespace futexsim
