// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading artifacts: every field arrives, every mistake is named.
#include "../lib/Artifact.h"
#include "../lib/Error.h"
#include "TestArtifact.h"

#include <gtest/gtest.h>

using namespace gemm::runtime;
using json = nlohmann::json;

/// The message of the error that parsing must end in.
static std::string failure(const std::string &text) {
  try {
    parseArtifact(text);
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), GEMM_ERROR_INVALID_ARTIFACT);
    return error.what();
  }
  return "no error";
}

TEST(Artifact, ReadsEveryField) {
  Artifact artifact = parseArtifact(artifactText(sampleDescription()));
  EXPECT_EQ(artifact.name, "matmul");
  EXPECT_EQ(artifact.target, "sm_90a");
  EXPECT_EQ(artifact.ptxMajor, 8);
  EXPECT_EQ(artifact.ptxMinor, 0);
  EXPECT_TRUE(artifact.batched);
  EXPECT_EQ(artifact.accumulator, ElementType::F32);
  EXPECT_EQ(json::parse(artifact.json), sampleDescription());

  ASSERT_EQ(artifact.operands.size(), 5u);
  const Operand &b = artifact.operands[1];
  EXPECT_EQ(b.name, "B");
  EXPECT_EQ(b.role, GEMM_ROLE_B);
  EXPECT_EQ(b.type, ElementType::BF16);
  EXPECT_EQ(b.rank, 2u);
  EXPECT_TRUE(b.columnMajor);
  EXPECT_FALSE(b.batched);
  // "col": the first coordinate, n, is contiguous.
  EXPECT_EQ(b.contiguousDim(), GEMM_DIM_N);
  EXPECT_EQ(b.stridedDim(), GEMM_DIM_K);
  EXPECT_EQ(artifact.operands[0].contiguousDim(), GEMM_DIM_K);
  EXPECT_EQ(artifact.operands[0].unusedIfZero, -1);
  EXPECT_EQ(artifact.operands[2].unusedIfZero, 1);
  EXPECT_EQ(artifact.operands[3].rank, 1u);
  EXPECT_EQ(artifact.operands[3].dims[0], GEMM_DIM_N);
  ASSERT_EQ(artifact.scalars.size(), 2u);
  EXPECT_EQ(artifact.scalars[1].name, "beta");

  ASSERT_EQ(artifact.entries.size(), 2u);
  const Entry &entry = artifact.entries[0];
  EXPECT_EQ(entry.name, "matmul_0");
  EXPECT_EQ(entry.schedule, "#gemm.schedule<wgmma>");
  EXPECT_EQ(entry.threads, 256u);
  EXPECT_EQ(entry.clusterSize, 2u);
  EXPECT_EQ(entry.sharedBytes, 196608u);
  EXPECT_EQ(entry.grid.tileRows, 128u);
  EXPECT_EQ(entry.grid.tileCols, 256u);
  ASSERT_EQ(entry.guard.size(), 7u);
  EXPECT_EQ(entry.guard[3].kind, Condition::Kind::Pitch);
  EXPECT_EQ(entry.guard[3].operand, 1u);
  EXPECT_EQ(entry.guard[3].value, 8);
  EXPECT_EQ(entry.guard[6].dim, GEMM_DIM_BATCH);
  ASSERT_EQ(entry.parameters.size(), 10u);
  EXPECT_EQ(entry.parameters[0].kind, Parameter::Kind::TensorMap);
  EXPECT_EQ(entry.parameters[0].box[1], 128u);
  EXPECT_EQ(entry.parameters[0].swizzle, 128u);
  EXPECT_EQ(entry.parameters[8].kind, Parameter::Kind::Extent);
  EXPECT_EQ(entry.parameters[8].dim, GEMM_DIM_BATCH);
}

TEST(Artifact, ReadsStaticExtents) {
  json description = sampleDescription();
  description["problem"]["static"] = {{"k", 64}};
  Artifact artifact = parseArtifact(artifactText(description));
  EXPECT_EQ(artifact.staticExtents[GEMM_DIM_K], 64);
  EXPECT_FALSE(artifact.staticExtents[GEMM_DIM_M]);
}

TEST(Artifact, RefusesTextWithoutDescription) {
  EXPECT_EQ(failure(".version 8.0\n.target sm_90a\n"),
            "artifact: no line '// gemm-artifact-begin': this is not a kernel "
            "artifact");
  EXPECT_EQ(failure(""), "artifact: no line '// gemm-artifact-begin': this is "
                         "not a kernel artifact");
}

TEST(Artifact, EveryTruncationIsAnError) {
  std::string text = artifactText(sampleDescription());
  // Everything up to the name of the last entry is needed.
  size_t needed = text.rfind("matmul_1") + std::string("matmul_1").size();
  EXPECT_EQ(failure(text.substr(0, needed)), "no error");
  for (size_t size = 0; size < needed; ++size)
    ASSERT_NE(failure(text.substr(0, size)), "no error") << "at " << size;
}

TEST(Artifact, SyntaxErrorsNameTheLineOfTheFile) {
  std::string text = "// gemm-artifact-begin\n// {\n//  \"format\": 1,\n"
                     "//  \"name\" \"x\"\n// }\n// gemm-artifact-end\n";
  std::string message = failure(text);
  EXPECT_EQ(message.substr(0, message.find(':')), "artifact, line 4");
  EXPECT_EQ(failure("// gemm-artifact-begin\n// {\n.version 8.0\n"),
            "artifact, line 3: the description must be followed by '// "
            "gemm-artifact-end'");
}

namespace {
struct Mistake {
  const char *pointer; ///< where in the description
  json value;          ///< what stands there instead
  const char *message;
};
} // namespace

TEST(Artifact, MistakesNameTheField) {
  const Mistake mistakes[] = {
      {"/format", 2,
       "artifact, format: expected an integer from 1 to 1, got 2"},
      {"/name", 7, "artifact, name: expected a string, got 7"},
      {"/ptx", "eight",
       "artifact, ptx: expected a PTX version such as \"8.0\", got \"eight\""},
      {"/ptx", "8.3",
       "artifact, ptx: the description says 8.3 but the PTX says .version 8.0"},
      {"/target", "sm_80",
       "artifact, target: the description says sm_80 but the PTX says .target "
       "sm_90a"},
      {"/extra", 1,
       "artifact: unknown field 'extra' (known: format, compiler, name, "
       "target, ptx, problem, entries)"},
      {"/problem", json::array(),
       "artifact, problem: expected an object, got array"},
      {"/problem/batched", "yes",
       "artifact, problem.batched: expected true or false, got \"yes\""},
      {"/problem/accumulator", "f31",
       "artifact, problem.accumulator: unknown type 'f31' (known: f64, f32, "
       "tf32, f16, bf16, f8E4M3FN, f8E5M2, i32, i8, si8, ui8)"},
      {"/problem/operands/0/dims", json::array({"k", "m"}),
       "artifact, problem.operands[0].dims: expected [\"m\", \"k\"] for an "
       "operand of this role"},
      {"/problem/operands/3/dims", json::array({"k"}),
       "artifact, problem.operands[3].dims: expected [\"m\", \"n\"] or a part "
       "of it"},
      {"/problem/operands/3/order", "row",
       "artifact, problem.operands[3].order: only a matrix has an order"},
      {"/problem/operands/1/name", "A",
       "artifact, problem.operands[1].name: 'A' appears twice"},
      {"/problem/operands/4/batched", false,
       "artifact, problem.operands[4].batched: a batched problem writes a "
       "batched D"},
      {"/problem/operands/2/unused_if_zero", 2,
       "artifact, problem.operands[2].unused_if_zero: expected an integer from "
       "0 to 1, got 2"},
      {"/problem/operands/4/role", "epilogue",
       "artifact, problem.operands: needs one operand of role a and at least "
       "one of each of the roles b and d"},
      {"/problem/scalars/0/type", "i8",
       "artifact, problem.scalars[0].type: a scalar is f64, f32, f16, bf16 or "
       "i32"},
      {"/problem/static", json::parse(R"({"q": 1})"),
       "artifact, problem.static.q: unknown dimension (known: m, n, k, "
       "batch)"},
      {"/entries", json::array(),
       "artifact, entries: expected 1 to 64 elements, got 0"},
      {"/entries/0/name", "other",
       "artifact, entries[0].name: the PTX has no .entry 'other'"},
      {"/entries/1/name", "matmul_0",
       "artifact, entries[1].name: 'matmul_0' appears twice"},
      {"/entries/0/guard/0/kind", "odd",
       "artifact, entries[0].guard[0].kind: expected one of align, pitch, "
       "extent_divisible, extent_at_most, batch_at_most; got \"odd\""},
      {"/entries/0/guard/0/operand", 5,
       "artifact, entries[0].guard[0].operand: expected an integer from 0 to "
       "4, got 5"},
      {"/entries/0/guard/0/value", 0,
       "artifact, entries[0].guard[0].value: expected an integer from 1 to "
       "1048576, got 0"},
      {"/entries/0/guard/2/operand", 3,
       "artifact, entries[0].guard[2].operand: operand bias is no matrix"},
      {"/entries/0/block", 1025,
       "artifact, entries[0].block: expected an integer from 1 to 1024, got "
       "1025"},
      {"/entries/0/block", 1.5,
       "artifact, entries[0].block: expected an integer from 1 to 1024, got "
       "1.5"},
      {"/entries/0/block", 18446744073709551615u,
       "artifact, entries[0].block: expected an integer from 1 to 1024, got "
       "18446744073709551615"},
      {"/entries/0/cluster", json::array({1, 2, 1}),
       "artifact, entries[0].cluster[1]: expected an integer from 1 to 1, got "
       "2"},
      {"/entries/0/grid/kind", "persistent",
       "artifact, entries[0].grid.kind: expected one of tiles; got "
       "\"persistent\""},
      {"/entries/0/grid/tile", json::array({128}),
       "artifact, entries[0].grid.tile: expected 2 elements, got 1"},
      {"/entries/0/workspace/kind", "split",
       "artifact, entries[0].workspace.kind: expected one of none; got "
       "\"split\""},
      {"/entries/0/params/0/swizzle", 16,
       "artifact, entries[0].params[0].swizzle: expected 0, 32, 64 or 128 "
       "bytes, got 16"},
      {"/entries/0/params/0/box/0", 128,
       "artifact, entries[0].params[0].box[0]: a line of the box has 256 "
       "bytes, more than the swizzle's 128"},
      {"/entries/0/params/0/box/0", 4,
       "artifact, entries[0].params[0].box[0]: a line of the box has 8 bytes, "
       "which is no multiple of 16"},
      {"/entries/0/params/0/operand", 3,
       "artifact, entries[0].params[0].operand: operand bias is no matrix"},
      {"/entries/0/params/9/index", 2,
       "artifact, entries[0].params[9].index: expected an integer from 0 to 1, "
       "got 2"},
  };
  for (const Mistake &mistake : mistakes) {
    json description = sampleDescription();
    description[json::json_pointer(mistake.pointer)] = mistake.value;
    EXPECT_EQ(failure(artifactText(description)), mistake.message)
        << mistake.pointer;
  }
}

/// Every value of the description, of another type or gone, is an error: no
/// field is ignored, none ends in a crash.
TEST(Artifact, EveryFieldIsTypedAndMostAreNeeded) {
  const json flat = sampleDescription().flatten();
  for (const auto &[pointer, value] : flat.items()) {
    json changed = sampleDescription();
    changed[json::json_pointer(pointer)] = json::object({{"x", nullptr}});
    // Only this one may hold anything, and it is an array.
    std::string message = failure(artifactText(changed));
    EXPECT_EQ(message.substr(0, 9), "artifact,") << pointer << message;

    json removed = sampleDescription();
    json::json_pointer where(pointer);
    json &parent = removed[where.parent_pointer()];
    if (!parent.is_object())
      continue;
    parent.erase(where.back());
    bool optional = where.back() == "unused_if_zero";
    EXPECT_EQ(failure(artifactText(removed)) == "no error", optional)
        << pointer;
  }
}

TEST(Artifact, UnbatchedProblemHasNoBatchedOperand) {
  json description = sampleDescription();
  description["problem"]["batched"] = false;
  EXPECT_EQ(failure(artifactText(description)),
            "artifact, problem.operands[0].batched: the problem is not "
            "batched");
}

TEST(Artifact, AcceptsCarriageReturns) {
  std::string text;
  for (char c : artifactText(sampleDescription()))
    text += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(parseArtifact(text).name, "matmul");
}
