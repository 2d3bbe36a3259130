// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "JsonField.h"
#include "Error.h"

#include <algorithm>

using namespace gemm::runtime;

/// A value as the reader of a message wants to see it: short.
static std::string shown(const nlohmann::json &value) {
  if (value.is_array() || value.is_object())
    return value.type_name();
  std::string text =
      value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

static std::string listed(std::initializer_list<const char *> names) {
  std::string text;
  for (const char *name : names)
    text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

void JsonField::fail(const std::string &message) const {
  throw Error(GEMM_ERROR_INVALID_ARTIFACT,
              "artifact" + (path.empty() ? "" : ", " + path) + ": " + message);
}

void JsonField::expected(const std::string &what) const {
  fail("expected " + what + ", got " + shown(*value));
}

void JsonField::requireObject() const {
  if (!value->is_object())
    expected("an object");
}

void JsonField::allowOnly(std::initializer_list<const char *> keys) const {
  requireObject();
  for (const auto &member : value->items())
    if (std::ranges::find(keys, member.key()) == keys.end())
      fail("unknown field '" + member.key() + "' (known: " + listed(keys) +
           ")");
}

std::optional<JsonField> JsonField::find(const char *key) const {
  requireObject();
  auto member = value->find(key);
  if (member == value->end())
    return std::nullopt;
  return JsonField(*member, path.empty() ? key : path + "." + key);
}

JsonField JsonField::at(const char *key) const {
  std::optional<JsonField> member = find(key);
  if (!member)
    fail("field '" + std::string(key) + "' is missing");
  return *member;
}

std::string JsonField::string() const {
  if (!value->is_string())
    expected("a string");
  return value->get<std::string>();
}

bool JsonField::boolean() const {
  if (!value->is_boolean())
    expected("true or false");
  return value->get<bool>();
}

int64_t JsonField::integer(int64_t least, int64_t most) const {
  // Unsigned values beyond int64_t are out of range, not negative.
  bool fits = value->is_number_integer() &&
              (!value->is_number_unsigned() ||
               value->get<uint64_t>() <= uint64_t(INT64_MAX));
  int64_t number = fits ? value->get<int64_t>() : 0;
  if (!fits || number < least || number > most)
    expected("an integer from " + std::to_string(least) + " to " +
             std::to_string(most));
  return number;
}

std::vector<JsonField> JsonField::array(size_t least, size_t most) const {
  if (!value->is_array())
    expected("an array");
  if (value->size() < least || value->size() > most)
    fail("expected " + std::to_string(least) +
         (least == most ? "" : " to " + std::to_string(most)) +
         " elements, got " + std::to_string(value->size()));
  std::vector<JsonField> elements;
  for (const nlohmann::json &element : *value)
    elements.emplace_back(element,
                          path + "[" + std::to_string(elements.size()) + "]");
  return elements;
}

std::vector<std::pair<std::string, JsonField>> JsonField::members() const {
  requireObject();
  std::vector<std::pair<std::string, JsonField>> result;
  for (const auto &member : value->items())
    result.emplace_back(member.key(), at(member.key().c_str()));
  return result;
}

size_t JsonField::choice(std::initializer_list<const char *> choices) const {
  std::string text = string();
  auto found = std::ranges::find(choices, text);
  if (found == choices.end())
    fail("expected one of " + listed(choices) + "; got " + shown(*value));
  return static_cast<size_t>(found - choices.begin());
}
