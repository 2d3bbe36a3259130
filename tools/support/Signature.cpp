// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Signature.h"

#include "Error.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

namespace gemm::tools {
namespace {

using Json = nlohmann::json;

// A field with the path that led to it, for messages.
const Json &field(const Json &object, const char *key,
                  const std::string &path) {
  auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end())
    throw ToolError("the artifact's description lacks \"" + path + key + "\"");
  return *found;
}

template <typename T>
T get(const Json &object, const char *key, const std::string &path) {
  const Json &value = field(object, key, path);
  try {
    return value.get<T>();
  } catch (const Json::exception &) {
    throw ToolError("the artifact's \"" + path + key +
                    "\" has an unexpected type: " + value.dump());
  }
}

ElementType typeField(const Json &object, const std::string &path) {
  auto name = get<std::string>(object, "type", path);
  if (std::optional<ElementType> type = parseElementType(name))
    return *type;
  throw ToolError("the artifact's \"" + path + "type\" is " + name +
                  ", which this tool cannot check; it knows " +
                  elementTypeNames());
}

Dim parseDim(const std::string &name, const std::string &path) {
  for (Dim dim : {Dim::M, Dim::N, Dim::K, Dim::Batch})
    if (name == dimName(dim))
      return dim;
  throw ToolError("the artifact's \"" + path +
                  "\" names an unknown dimension " + name);
}

Role parseRole(const std::string &name, const std::string &path) {
  if (name == "a")
    return Role::A;
  if (name == "b")
    return Role::B;
  if (name == "epilogue")
    return Role::Epilogue;
  if (name == "d")
    return Role::D;
  throw ToolError("the artifact's \"" + path + "role\" is " + name +
                  "; it must be a, b, epilogue or d");
}

OperandSignature parseOperand(const Json &json, const std::string &path,
                              const std::vector<ScalarSignature> &scalars) {
  OperandSignature operand;
  operand.name = get<std::string>(json, "name", path);
  operand.role = parseRole(get<std::string>(json, "role", path), path);
  operand.type = typeField(json, path);
  for (const auto &dim : get<std::vector<std::string>>(json, "dims", path))
    operand.dims.push_back(parseDim(dim, path + "dims"));
  if (operand.dims.size() == 2)
    operand.columnMajor = get<std::string>(json, "order", path) == "col";
  operand.batched = json.value("batched", false);
  auto unused = json.find("unused_if_zero");
  if (unused == json.end())
    return operand;
  // A scalar, by its index or its name.
  if (unused->is_number_integer()) {
    operand.unusedIfZero = unused->get<int>();
  } else if (unused->is_string()) {
    for (size_t i = 0; i < scalars.size(); ++i)
      if (scalars[i].name == unused->get<std::string>())
        operand.unusedIfZero = static_cast<int>(i);
  }
  if (operand.unusedIfZero &&
      *operand.unusedIfZero >= static_cast<int>(scalars.size()))
    throw ToolError("the artifact's \"" + path +
                    "unused_if_zero\" names no scalar");
  return operand;
}

void parsePredicate(const std::string &name, ScalarOp &op,
                    const std::string &path) {
  std::string rest = name;
  bool integer = rest == "eq" || rest == "ne" || rest.starts_with("s");
  if (rest.starts_with("u") && rest != "une")
    op.unordered = true;
  if (rest == "une")
    op.unordered = true;
  if (!integer || rest.starts_with("s"))
    rest = rest.substr(std::min<size_t>(1, rest.size()));
  using Predicate = ScalarOp::Predicate;
  constexpr std::pair<const char *, Predicate> names[] = {
      {"eq", Predicate::Eq}, {"ne", Predicate::Ne}, {"lt", Predicate::Lt},
      {"le", Predicate::Le}, {"gt", Predicate::Gt}, {"ge", Predicate::Ge}};
  for (const auto &[candidate, predicate] : names) {
    if (rest == candidate) {
      op.predicate = predicate;
      return;
    }
  }
  throw ToolError("the artifact's \"" + path + "predicate\" is " + name +
                  ", which this tool cannot evaluate");
}

size_t argumentCount(ScalarOp::Kind kind) {
  using Kind = ScalarOp::Kind;
  switch (kind) {
  case Kind::Product:
  case Kind::Operand:
  case Kind::Scalar:
  case Kind::Constant:
    return 0;
  case Kind::Neg:
  case Kind::Abs:
  case Kind::Convert:
    return 1;
  case Kind::Select:
    return 3;
  default:
    return 2;
  }
}

std::vector<int> parseArguments(const Json &json, const std::string &path,
                                size_t defined) {
  auto args = get<std::vector<int>>(json, "args", path);
  for (int arg : args)
    if (arg < 0 || static_cast<size_t>(arg) >= defined)
      throw ToolError("the artifact's \"" + path + "args\" names value " +
                      std::to_string(arg) + ", which is not defined before");
  return args;
}

ScalarProgram parseProgram(const Json &list, const Signature &signature) {
  ScalarProgram program;
  size_t products = signature.operandsB().size();
  for (size_t i = 0; i < list.size(); ++i) {
    const Json &json = list[i];
    std::string path = "problem.epilogue[" + std::to_string(i) + "].";
    auto name = get<std::string>(json, "op", path);
    if (name == "yield") {
      program.results = parseArguments(json, path, program.ops.size());
      break;
    }
    ScalarOp op;
    if (!scalarOpKind(name, op.kind))
      throw ToolError("the epilogue's op " + name +
                      " is one that this tool cannot check");
    using Kind = ScalarOp::Kind;
    // i1 exists only between a comparison and a selection.
    if (get<std::string>(json, "type", path) != "i1")
      op.type = typeField(json, path);
    size_t limit = op.kind == Kind::Product   ? products
                   : op.kind == Kind::Operand ? signature.operands.size()
                                              : signature.scalars.size();
    if (op.kind == Kind::Product || op.kind == Kind::Operand ||
        op.kind == Kind::Scalar) {
      op.index = get<int>(json, "index", path);
      if (op.index < 0 || static_cast<size_t>(op.index) >= limit)
        throw ToolError("the artifact's \"" + path + "index\" is " +
                        std::to_string(op.index) + ", there are only " +
                        std::to_string(limit));
    } else if (op.kind == Kind::Constant) {
      // JSON has no infinities: they are written as strings.
      op.constant =
          json.contains("value") && json["value"].is_string()
              ? std::strtod(get<std::string>(json, "value", path).c_str(),
                            nullptr)
              : get<double>(json, "value", path);
    } else {
      op.args = parseArguments(json, path, program.ops.size());
      if (op.args.size() != argumentCount(op.kind))
        throw ToolError("the artifact's \"" + path + "args\" has " +
                        std::to_string(op.args.size()) + " values, " + name +
                        " takes " + std::to_string(argumentCount(op.kind)));
    }
    if (op.kind == Kind::Compare)
      parsePredicate(get<std::string>(json, "predicate", path), op, path);
    program.ops.push_back(op);
  }
  if (program.results.size() != signature.operandsD().size())
    throw ToolError("the artifact's epilogue yields " +
                    std::to_string(program.results.size()) + " values for " +
                    std::to_string(signature.operandsD().size()) + " results");
  return program;
}

EntrySignature parseEntry(const Json &json, const std::string &path) {
  EntrySignature entry;
  entry.name = get<std::string>(json, "name", path);
  entry.schedule = get<std::string>(json, "schedule", path);
  entry.threads = get<int64_t>(json, "block", path);
  entry.sharedBytes = get<int64_t>(json, "shared_bytes", path);
  for (int64_t extent : get<std::vector<int64_t>>(json, "cluster", path))
    entry.clusterSize *= extent;
  const Json &grid = field(json, "grid", path);
  entry.gridKind = get<std::string>(grid, "kind", path + "grid.");
  if (entry.gridKind == "tiles") {
    auto tile = get<std::vector<int64_t>>(grid, "tile", path + "grid.");
    if (tile.size() != 2 || tile[0] <= 0 || tile[1] <= 0)
      throw ToolError("the artifact's \"" + path +
                      "grid.tile\" must be two positive numbers");
    entry.rows = parseDim(get<std::string>(grid, "rows", path + "grid."),
                          path + "grid.rows");
    entry.cols = parseDim(get<std::string>(grid, "cols", path + "grid."),
                          path + "grid.cols");
    entry.tileRows = tile[0];
    entry.tileCols = tile[1];
  }
  return entry;
}

} // namespace

std::string_view dimName(Dim dim) {
  constexpr std::string_view names[] = {"m", "n", "k", "batch"};
  return names[static_cast<size_t>(dim)];
}

int Signature::operandA() const {
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].role == Role::A)
      return static_cast<int>(i);
  return -1;
}

static std::vector<int> withRole(const Signature &signature, Role role) {
  std::vector<int> found;
  for (size_t i = 0; i < signature.operands.size(); ++i)
    if (signature.operands[i].role == role)
      found.push_back(static_cast<int>(i));
  return found;
}

std::vector<int> Signature::operandsB() const {
  return withRole(*this, Role::B);
}

std::vector<int> Signature::operandsD() const {
  return withRole(*this, Role::D);
}

Signature parseSignature(std::string_view text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    throw ToolError("the artifact's description is not valid JSON");
  Signature signature;
  signature.name = get<std::string>(json, "name", "");
  signature.compiler = json.value("compiler", "");
  signature.target = get<std::string>(json, "target", "");
  signature.ptxVersion = json.value("ptx", "");

  const Json &problem = field(json, "problem", "");
  signature.batched = problem.value("batched", false);
  auto accumulator = get<std::string>(problem, "accumulator", "problem.");
  std::optional<ElementType> type = parseElementType(accumulator);
  if (!type)
    throw ToolError("the artifact accumulates in " + accumulator +
                    ", which this tool cannot check");
  signature.accumulator = *type;

  if (problem.contains("scalars")) {
    for (const Json &scalar : problem["scalars"]) {
      std::string path =
          "problem.scalars[" + std::to_string(signature.scalars.size()) + "].";
      signature.scalars.push_back(
          {get<std::string>(scalar, "name", path), typeField(scalar, path)});
    }
  }
  for (const Json &operand : field(problem, "operands", "problem.")) {
    std::string path =
        "problem.operands[" + std::to_string(signature.operands.size()) + "].";
    signature.operands.push_back(
        parseOperand(operand, path, signature.scalars));
  }
  if (signature.operandA() < 0 || signature.operandsB().empty() ||
      signature.operandsD().empty())
    throw ToolError("the artifact's \"problem.operands\" must have an A, a B "
                    "and a D");
  if (problem.contains("static")) {
    for (const auto &[name, extent] : problem["static"].items()) {
      Dim dim = parseDim(name, "problem.static");
      if (!extent.is_number_integer())
        throw ToolError("the artifact's \"problem.static." + name +
                        "\" must be an integer");
      signature.fixedExtents[static_cast<size_t>(dim)] = extent.get<int64_t>();
    }
  }
  signature.epilogue =
      parseProgram(field(problem, "epilogue", "problem."), signature);
  for (const Json &entry : field(json, "entries", "")) {
    std::string path =
        "entries[" + std::to_string(signature.entries.size()) + "].";
    signature.entries.push_back(parseEntry(entry, path));
  }
  return signature;
}

} // namespace gemm::tools
