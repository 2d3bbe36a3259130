// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A JSON value that knows its path, so that every complaint about it says where
// it stands ("entries[0].guard[1].value").
#ifndef GEMM_RUNTIME_JSONFIELD_H
#define GEMM_RUNTIME_JSONFIELD_H

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemm::runtime {

class JsonField {
public:
  JsonField(const nlohmann::json &value, std::string path)
      : value(&value), path(std::move(path)) {}

  /// Refuses members of an object that are not listed: a reader that does not
  /// know a field cannot know that it may be ignored.
  void allowOnly(std::initializer_list<const char *> keys) const;

  JsonField at(const char *key) const;
  std::optional<JsonField> find(const char *key) const;

  std::string string() const;
  bool boolean() const;
  int64_t integer(int64_t least, int64_t most) const;
  /// Elements of an array of `least` to `most` elements.
  std::vector<JsonField> array(size_t least, size_t most) const;
  /// The members of an object, by key.
  std::vector<std::pair<std::string, JsonField>> members() const;

  /// The index of the string's value in `choices`.
  size_t choice(std::initializer_list<const char *> choices) const;

  /// Throws Error: "artifact, PATH: MESSAGE".
  [[noreturn]] void fail(const std::string &message) const;

private:
  [[noreturn]] void expected(const std::string &what) const;
  void requireObject() const;

  const nlohmann::json *value;
  std::string path;
};

} // namespace gemm::runtime

#endif // GEMM_RUNTIME_JSONFIELD_H
