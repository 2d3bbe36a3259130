// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the fields of docs/Artifact.md, in that page's order.
#include "Artifact.h"
#include "ArtifactText.h"
#include "Error.h"
#include "JsonField.h"

#include <algorithm>
#include <set>

using namespace gemm::runtime;

const char *gemm::runtime::dimName(gemm_dim dim) {
  static constexpr const char *names[] = {"m", "n", "k", "batch"};
  return names[dim];
}

static gemm_dim readDim(const JsonField &field) {
  return static_cast<gemm_dim>(field.choice({"m", "n", "k", "batch"}));
}

static ElementType readType(const JsonField &field) {
  std::string name = field.string();
  std::optional<ElementType> type = parseElementType(name);
  if (!type)
    field.fail("unknown type '" + name + "' (known: " + elementTypeNames() +
               ")");
  return *type;
}

/// Refuses a name that another element of the same list has.
static std::string readUniqueName(const JsonField &field,
                                  std::set<std::string> &seen) {
  std::string name = field.string();
  if (name.empty())
    field.fail("must not be empty");
  if (!seen.insert(name).second)
    field.fail("'" + name + "' appears twice");
  return name;
}

//===----------------------------------------------------------------------===//
// problem
//===----------------------------------------------------------------------===//

static void readDims(const JsonField &field, Operand &operand) {
  for (const JsonField &dim : field.array(0, 2)) {
    gemm_dim value = readDim(dim);
    if (value == GEMM_DIM_BATCH)
      dim.fail("the batch is given by 'batched', not by a dimension");
    operand.dims[operand.rank++] = value;
  }
  std::array<gemm_dim, 2> product{};
  switch (operand.role) {
  case GEMM_ROLE_A:
    product = {GEMM_DIM_M, GEMM_DIM_K};
    break;
  case GEMM_ROLE_B:
    product = {GEMM_DIM_N, GEMM_DIM_K};
    break;
  default:
    product = {GEMM_DIM_M, GEMM_DIM_N};
    break;
  }
  bool vector = operand.role == GEMM_ROLE_EPILOGUE && operand.rank < 2 &&
                (operand.rank == 0 || operand.dims[0] != GEMM_DIM_K);
  if (!vector && (operand.rank != 2 || operand.dims != product))
    field.fail("expected [\"" + std::string(dimName(product[0])) + "\", \"" +
               dimName(product[1]) + "\"]" +
               (operand.role == GEMM_ROLE_EPILOGUE
                    ? " or a part of it"
                    : " for an operand of this role"));
}

static Operand readOperand(const JsonField &field, const Artifact &artifact,
                           std::set<std::string> &seen) {
  field.allowOnly(
      {"name", "role", "type", "dims", "order", "batched", "unused_if_zero"});
  Operand operand;
  operand.name = readUniqueName(field.at("name"), seen);
  operand.role = static_cast<gemm_role>(
      field.at("role").choice({"a", "b", "epilogue", "d"}));
  operand.type = readType(field.at("type"));
  readDims(field.at("dims"), operand);
  if (operand.rank == 2)
    operand.columnMajor = field.at("order").choice({"row", "col"}) == 1;
  else if (std::optional<JsonField> order = field.find("order"))
    order->fail("only a matrix has an order");
  operand.batched = field.at("batched").boolean();
  if (operand.batched && !artifact.batched)
    field.at("batched").fail("the problem is not batched");
  if (!operand.batched && artifact.batched && operand.role == GEMM_ROLE_D)
    field.at("batched").fail("a batched problem writes a batched D");
  if (std::optional<JsonField> scalar = field.find("unused_if_zero")) {
    if (operand.role != GEMM_ROLE_EPILOGUE)
      scalar->fail("only an epilogue operand can stay unused");
    if (artifact.scalars.empty())
      scalar->fail("the problem has no scalars");
    operand.unusedIfZero = static_cast<int32_t>(
        scalar->integer(0, int64_t(artifact.scalars.size()) - 1));
  }
  return operand;
}

static void readProblem(const JsonField &field, Artifact &artifact) {
  field.allowOnly(
      {"batched", "accumulator", "operands", "scalars", "static", "epilogue"});
  artifact.batched = field.at("batched").boolean();
  artifact.accumulator = readType(field.at("accumulator"));

  std::set<std::string> scalarNames;
  for (const JsonField &scalar : field.at("scalars").array(0, 32)) {
    scalar.allowOnly({"name", "type"});
    std::string name = readUniqueName(scalar.at("name"), scalarNames);
    ElementType type = readType(scalar.at("type"));
    if (!isScalarType(type))
      scalar.at("type").fail("a scalar is f64, f32, f16, bf16 or i32");
    artifact.scalars.push_back({std::move(name), type});
  }

  std::set<std::string> operandNames;
  std::array<int, 4> ofRole{};
  for (const JsonField &operand : field.at("operands").array(3, 32)) {
    artifact.operands.push_back(readOperand(operand, artifact, operandNames));
    ++ofRole[artifact.operands.back().role];
  }
  if (ofRole[GEMM_ROLE_A] != 1 || !ofRole[GEMM_ROLE_B] || !ofRole[GEMM_ROLE_D])
    field.at("operands")
        .fail("needs one operand of role a and at least one of "
              "each of the roles b and d");

  for (const auto &[key, extent] : field.at("static").members()) {
    constexpr std::array dims{GEMM_DIM_M, GEMM_DIM_N, GEMM_DIM_K,
                              GEMM_DIM_BATCH};
    auto dim = std::ranges::find(dims, key, dimName);
    if (dim == dims.end())
      extent.fail("unknown dimension (known: m, n, k, batch)");
    artifact.staticExtents[*dim] = extent.integer(0, GEMM_MAX_EXTENT);
  }

  // For whoever checks results; the runtime itself does not interpret it.
  field.at("epilogue").array(0, 4096);
}

//===----------------------------------------------------------------------===//
// entries
//===----------------------------------------------------------------------===//

static size_t readOperandIndex(const JsonField &field,
                               const Artifact &artifact) {
  return static_cast<size_t>(
      field.integer(0, int64_t(artifact.operands.size()) - 1));
}

/// The index of an operand that is a matrix, for what vectors have not.
static size_t readMatrixIndex(const JsonField &field,
                              const Artifact &artifact) {
  size_t index = readOperandIndex(field, artifact);
  if (artifact.operands[index].rank != 2)
    field.fail("operand " + artifact.operands[index].name + " is no matrix");
  return index;
}

static Condition readCondition(const JsonField &field,
                               const Artifact &artifact) {
  Condition condition;
  switch (field.at("kind").choice({"align", "pitch", "extent_divisible",
                                   "extent_at_most", "batch_at_most"})) {
  case 0:
    field.allowOnly({"kind", "operand", "value"});
    condition.kind = Condition::Kind::Align;
    condition.operand = readOperandIndex(field.at("operand"), artifact);
    condition.value = field.at("value").integer(1, 1 << 20);
    break;
  case 1:
    field.allowOnly({"kind", "operand", "value"});
    condition.kind = Condition::Kind::Pitch;
    condition.operand = readMatrixIndex(field.at("operand"), artifact);
    condition.value = field.at("value").integer(1, 1 << 20);
    break;
  case 2:
    field.allowOnly({"kind", "dim", "value"});
    condition.kind = Condition::Kind::ExtentDivisible;
    condition.dim = readDim(field.at("dim"));
    condition.value = field.at("value").integer(1, GEMM_MAX_EXTENT);
    break;
  case 3:
    field.allowOnly({"kind", "dim", "value"});
    condition.kind = Condition::Kind::ExtentAtMost;
    condition.dim = readDim(field.at("dim"));
    condition.value = field.at("value").integer(0, GEMM_MAX_EXTENT);
    break;
  case 4:
    field.allowOnly({"kind", "value"});
    condition.kind = Condition::Kind::ExtentAtMost;
    condition.dim = GEMM_DIM_BATCH;
    condition.value = field.at("value").integer(0, GEMM_MAX_EXTENT);
    break;
  }
  return condition;
}

/// Limits of cuTensorMapEncodeTiled that concern constants.
static void readTensorMap(const JsonField &field, const Artifact &artifact,
                          Parameter &parameter) {
  field.allowOnly({"kind", "operand", "box", "swizzle"});
  parameter.index = readMatrixIndex(field.at("operand"), artifact);
  std::vector<JsonField> box = field.at("box").array(2, 2);
  for (size_t i = 0; i < 2; ++i)
    parameter.box[i] = static_cast<uint32_t>(box[i].integer(1, 256));
  int64_t swizzle = field.at("swizzle").integer(0, 128);
  if (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128)
    field.at("swizzle").fail("expected 0, 32, 64 or 128 bytes, got " +
                             std::to_string(swizzle));
  parameter.swizzle = static_cast<uint32_t>(swizzle);
  int64_t lineBytes = int64_t(parameter.box[0]) *
                      elementBytes(artifact.operands[parameter.index].type);
  if (lineBytes % 16 != 0)
    box[0].fail("a line of the box has " + std::to_string(lineBytes) +
                " bytes, which is no multiple of 16");
  if (swizzle != 0 && lineBytes > swizzle)
    box[0].fail("a line of the box has " + std::to_string(lineBytes) +
                " bytes, more than the swizzle's " + std::to_string(swizzle));
}

static Parameter readParameter(const JsonField &field,
                               const Artifact &artifact) {
  Parameter parameter;
  parameter.kind = static_cast<Parameter::Kind>(field.at("kind").choice(
      {"tensor_map", "pointer", "stride", "batch_stride", "extent", "scalar"}));
  switch (parameter.kind) {
  case Parameter::Kind::TensorMap:
    readTensorMap(field, artifact, parameter);
    break;
  case Parameter::Kind::Pointer:
    field.allowOnly({"kind", "operand"});
    parameter.index = readOperandIndex(field.at("operand"), artifact);
    break;
  case Parameter::Kind::Stride:
    field.allowOnly({"kind", "operand"});
    parameter.index = readMatrixIndex(field.at("operand"), artifact);
    break;
  case Parameter::Kind::BatchStride:
    field.allowOnly({"kind", "operand"});
    parameter.index = readOperandIndex(field.at("operand"), artifact);
    break;
  case Parameter::Kind::Extent:
    field.allowOnly({"kind", "dim"});
    parameter.dim = readDim(field.at("dim"));
    break;
  case Parameter::Kind::Scalar:
    field.allowOnly({"kind", "index"});
    if (artifact.scalars.empty())
      field.fail("the problem has no scalars");
    parameter.index = static_cast<size_t>(
        field.at("index").integer(0, int64_t(artifact.scalars.size()) - 1));
    break;
  }
  return parameter;
}

static Grid readGrid(const JsonField &field) {
  field.allowOnly({"kind", "rows", "cols", "tile", "raster"});
  field.at("kind").choice({"tiles"});
  Grid grid;
  grid.rows = readDim(field.at("rows"));
  grid.cols = readDim(field.at("cols"));
  std::vector<JsonField> tile = field.at("tile").array(2, 2);
  grid.tileRows = static_cast<uint32_t>(tile[0].integer(1, 1 << 16));
  grid.tileCols = static_cast<uint32_t>(tile[1].integer(1, 1 << 16));
  field.at("raster").integer(1, INT32_MAX);
  return grid;
}

static Entry readEntry(const JsonField &field, const Artifact &artifact,
                       std::set<std::string> &seen) {
  field.allowOnly({"name", "guard", "schedule", "block", "cluster",
                   "shared_bytes", "grid", "workspace", "params"});
  Entry entry;
  entry.name = readUniqueName(field.at("name"), seen);
  if (!hasEntry(artifact.ptx, entry.name))
    field.at("name").fail("the PTX has no .entry '" + entry.name + "'");
  for (const JsonField &condition : field.at("guard").array(0, 64))
    entry.guard.push_back(readCondition(condition, artifact));
  entry.schedule = field.at("schedule").string();
  entry.threads = static_cast<uint32_t>(field.at("block").integer(1, 1024));
  // The grid is one-dimensional, and so are its clusters. 8 CTAs are the
  // portable limit.
  std::vector<JsonField> cluster = field.at("cluster").array(3, 3);
  entry.clusterSize = static_cast<uint32_t>(cluster[0].integer(1, 8));
  cluster[1].integer(1, 1);
  cluster[2].integer(1, 1);
  entry.sharedBytes =
      static_cast<uint32_t>(field.at("shared_bytes").integer(0, INT32_MAX));
  entry.grid = readGrid(field.at("grid"));
  JsonField workspace = field.at("workspace");
  workspace.allowOnly({"kind"});
  workspace.at("kind").choice({"none"});
  for (const JsonField &parameter : field.at("params").array(0, maxParameters))
    entry.parameters.push_back(readParameter(parameter, artifact));
  return entry;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

static nlohmann::json parseJson(const Description &description) {
  try {
    return nlohmann::json::parse(description.json);
  } catch (const nlohmann::json::parse_error &error) {
    std::string_view json = description.json;
    size_t at = std::min(error.byte, json.size());
    auto line = description.firstLine +
                std::ranges::count(json.substr(0, at ? at - 1 : 0), '\n');
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    std::string_view what = error.what();
    size_t detail = what.find(": ");
    if (detail != std::string_view::npos)
      what.remove_prefix(detail + 2);
    throw Error(GEMM_ERROR_INVALID_ARTIFACT, "artifact, line " +
                                                 std::to_string(line) + ": " +
                                                 std::string(what));
  }
}

/// The PTX and its description must not contradict each other.
static void requireDirective(const Artifact &artifact, const JsonField &field,
                             std::string_view directive) {
  std::string_view found = findDirective(artifact.ptx, directive);
  if (found != field.string())
    field.fail("the description says " + field.string() +
               (found.empty() ? " but the PTX has no "
                              : " but the PTX says " + std::string(directive) +
                                    " " + std::string(found)) +
               (found.empty() ? std::string(directive) + " directive" : ""));
}

static void readPtxVersion(const JsonField &field, Artifact &artifact) {
  std::string text = field.string();
  int consumed = 0;
  if (std::sscanf(text.c_str(), "%d.%d%n", &artifact.ptxMajor,
                  &artifact.ptxMinor, &consumed) != 2 ||
      size_t(consumed) != text.size())
    field.fail("expected a PTX version such as \"8.0\", got \"" + text + "\"");
}

Artifact gemm::runtime::parseArtifact(std::string_view text) {
  Artifact artifact;
  artifact.ptx = text;
  Description description = extractDescription(artifact.ptx);
  const nlohmann::json json = parseJson(description);
  JsonField root(json, "");
  root.allowOnly(
      {"format", "compiler", "name", "target", "ptx", "problem", "entries"});
  root.at("format").integer(1, 1);
  root.at("compiler").string();
  artifact.name = root.at("name").string();
  artifact.target = root.at("target").string();
  readPtxVersion(root.at("ptx"), artifact);
  requireDirective(artifact, root.at("ptx"), ".version");
  requireDirective(artifact, root.at("target"), ".target");
  readProblem(root.at("problem"), artifact);
  std::set<std::string> entryNames;
  for (const JsonField &entry : root.at("entries").array(1, 64))
    artifact.entries.push_back(readEntry(entry, artifact, entryNames));
  artifact.json = std::move(description.json);
  return artifact;
}
