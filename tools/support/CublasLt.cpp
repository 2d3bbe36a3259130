// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CublasLt.h"

#include "CudaGraph.h"
#include "EpilogueForm.h"
#include "SharedLibrary.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <glob.h>

namespace gemm::tools {
namespace {

using Handle = void *;

// cublasLtMatmulAlgo_t and cublasLtMatmulHeuristicResult_t: the sizes are part
// of the library's ABI, the contents are opaque.
struct Algorithm {
  uint64_t data[8];
};
struct HeuristicResult {
  Algorithm algorithm;
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

// Values of the public enumerations.
enum : int {
  // cudaDataType
  dataF32 = 0,
  dataF64 = 1,
  dataF16 = 2,
  dataS8 = 3,
  dataS32 = 10,
  dataBF16 = 14,
  dataE4M3 = 28,
  dataE5M2 = 29,
  // cublasComputeType_t
  computeF16 = 64,
  computeF32 = 68,
  computeF64 = 70,
  computeS32 = 72,
  computeFastTF32 = 77,
  // cublasOperation_t
  operationNone = 0,
  operationTranspose = 1,
  // cublasLtMatmulDescAttributes_t
  descTransposeA = 3,
  descTransposeB = 4,
  descEpilogue = 7,
  descBiasPointer = 8,
  descBiasType = 26,
  // cublasLtEpilogue_t: flags except for the default
  epilogueDefault = 1,
  epilogueRelu = 2,
  epilogueBias = 4,
  // cublasLtMatrixLayoutAttribute_t
  layoutBatchCount = 5,
  layoutBatchStride = 6,
  // cublasLtMatmulPreferenceAttributes_t
  preferenceWorkspace = 1,
  preferenceAlignmentA = 5,
  preferenceAlignmentB = 6,
  preferenceAlignmentC = 7,
  preferenceAlignmentD = 8
};

struct Library {
  SharedLibrary library;
  explicit Library(const std::vector<std::string> &candidates)
      : library(candidates) {}

  size_t (*version)() = library.function<size_t()>("cublasLtGetVersion");
  int (*create)(Handle *) = library.function<int(Handle *)>("cublasLtCreate");
  int (*destroy)(Handle) = library.function<int(Handle)>("cublasLtDestroy");
  const char *(*statusName)(int) =
      library.function<const char *(int)>("cublasLtGetStatusName");
  int (*descCreate)(Handle *, int, int) =
      library.function<int(Handle *, int, int)>("cublasLtMatmulDescCreate");
  int (*descDestroy)(Handle) =
      library.function<int(Handle)>("cublasLtMatmulDescDestroy");
  int (*descSet)(Handle, int, const void *, size_t) =
      library.function<int(Handle, int, const void *, size_t)>(
          "cublasLtMatmulDescSetAttribute");
  int (*layoutCreate)(Handle *, int, uint64_t, uint64_t, int64_t) =
      library.function<int(Handle *, int, uint64_t, uint64_t, int64_t)>(
          "cublasLtMatrixLayoutCreate");
  int (*layoutDestroy)(Handle) =
      library.function<int(Handle)>("cublasLtMatrixLayoutDestroy");
  int (*layoutSet)(Handle, int, const void *, size_t) =
      library.function<int(Handle, int, const void *, size_t)>(
          "cublasLtMatrixLayoutSetAttribute");
  int (*preferenceCreate)(Handle *) =
      library.function<int(Handle *)>("cublasLtMatmulPreferenceCreate");
  int (*preferenceDestroy)(Handle) =
      library.function<int(Handle)>("cublasLtMatmulPreferenceDestroy");
  int (*preferenceSet)(Handle, int, const void *, size_t) =
      library.function<int(Handle, int, const void *, size_t)>(
          "cublasLtMatmulPreferenceSetAttribute");
  int (*heuristic)(Handle, Handle, Handle, Handle, Handle, Handle, Handle, int,
                   HeuristicResult *, int *) =
      library.function<int(Handle, Handle, Handle, Handle, Handle, Handle,
                           Handle, int, HeuristicResult *, int *)>(
          "cublasLtMatmulAlgoGetHeuristic");
  int (*matmul)(Handle, Handle, const void *, const void *, Handle,
                const void *, Handle, const void *, const void *, Handle,
                void *, Handle, const Algorithm *, void *, size_t, Handle) =
      library.function<int(Handle, Handle, const void *, const void *, Handle,
                           const void *, Handle, const void *, const void *,
                           Handle, void *, Handle, const Algorithm *, void *,
                           size_t, Handle)>("cublasLtMatmul");

  void check(int status, const char *what) const {
    if (status != 0)
      throw ToolError(std::string(what) + " failed: " + statusName(status));
  }
};

int dataType(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return dataF16;
  case ElementType::BF16:
    return dataBF16;
  case ElementType::F64:
    return dataF64;
  case ElementType::E4M3:
    return dataE4M3;
  case ElementType::E5M2:
    return dataE5M2;
  case ElementType::S8:
    return dataS8;
  case ElementType::S32:
    return dataS32;
  default:
    return dataF32;
  }
}

// Largest power of two up to 256 that divides the address.
uint32_t alignmentOf(const void *address) {
  auto value = reinterpret_cast<uintptr_t>(address) | 256;
  return static_cast<uint32_t>(value & (~value + 1));
}

// A scalar in the type that the library wants to read.
struct HostScalar {
  std::byte bytes[8] = {};
  HostScalar(ElementType type, double value) {
    storeBits(type, bytes, encodeElement(type, value));
  }
};

} // namespace

struct CublasLtMatmul::Implementation {
  const Device &device;
  const Signature signature;
  Library library;
  DeviceMemory workspace;
  EpilogueForm epilogue;
  bool dColumnMajor = false;
  // Operand indices of what the library calls A and B.
  int first = 0, second = 0, d = 0;
  ElementType scaleType = ElementType::F32;
  Handle handle = nullptr, description = nullptr, preference = nullptr;
  Handle layoutA = nullptr, layoutB = nullptr, layoutC = nullptr,
         layoutD = nullptr;
  std::vector<HeuristicResult> algorithms;

  Implementation(const Device &device, const std::string &path,
                 const Signature &signature, const gemm_problem &problem)
      : device(device), signature(signature), library(cublasLtCandidates(path)),
        workspace(device) {
    makeContextCurrent(device);
    if (signature.operandsB().size() != 1 || signature.operandsD().size() != 1)
      throw ToolError("cuBLASLt computes one product and one result only");
    epilogue = recognizeEpilogue(signature);
    if (epilogue.others > 0)
      throw ToolError("cuBLASLt has no epilogue with so many operands");
    int a = signature.operandA(), b = signature.operandsB()[0];
    d = signature.operandsD()[0];
    dColumnMajor = signature.operands[d].columnMajor;
    // The library thinks in column-major matrices: a row-major D is its
    // transpose, B A^T.
    first = dColumnMajor ? a : b;
    second = dColumnMajor ? b : a;
    library.check(library.create(&handle), "cublasLtCreate");
    describe(problem);
    choose(problem);
  }

  ~Implementation() {
    if (preference)
      library.preferenceDestroy(preference);
    for (Handle layout : {layoutA, layoutB, layoutC, layoutD})
      if (layout)
        library.layoutDestroy(layout);
    if (description)
      library.descDestroy(description);
    if (handle)
      library.destroy(handle);
  }

  // A matrix of (outer, inner) = e.g. (n, k), as column-major storage.
  Handle layout(int index, int64_t outer, int64_t inner,
                const gemm_problem &problem) {
    const OperandSignature &operand = signature.operands[index];
    bool columns = operand.columnMajor;
    Handle result = nullptr;
    const gemm_operand &data = problem.operands[index];
    library.check(library.layoutCreate(
                      &result, dataType(operand.type), columns ? outer : inner,
                      columns ? inner : outer, data.leading_dimension),
                  "cublasLtMatrixLayoutCreate");
    if (problem.batch > 1) {
      auto count = static_cast<int32_t>(problem.batch);
      int64_t stride = operand.batched ? data.batch_stride : 0;
      library.check(
          library.layoutSet(result, layoutBatchCount, &count, sizeof(count)),
          "setting the batch count");
      library.check(
          library.layoutSet(result, layoutBatchStride, &stride, sizeof(stride)),
          "setting the batch stride");
    }
    return result;
  }

  void setDescription(int attribute, const void *value, size_t size) {
    library.check(library.descSet(description, attribute, value, size),
                  "cublasLtMatmulDescSetAttribute");
  }

  void describe(const gemm_problem &problem) {
    ElementType aType = signature.operands[first].type;
    int compute = computeF32;
    switch (signature.accumulator) {
    case ElementType::F64:
      compute = computeF64;
      scaleType = ElementType::F64;
      break;
    case ElementType::F16:
      compute = computeF16;
      scaleType = ElementType::F16;
      break;
    case ElementType::S32:
      compute = computeS32;
      scaleType = ElementType::S32;
      break;
    default:
      if (aType == ElementType::TF32)
        compute = computeFastTF32;
      break;
    }
    library.check(
        library.descCreate(&description, compute, dataType(scaleType)),
        "cublasLtMatmulDescCreate");
    // The first matrix is (rows of the library's D, k), the second (columns,
    // k).
    bool firstColumns = signature.operands[first].columnMajor;
    bool secondColumns = signature.operands[second].columnMajor;
    int operationA = firstColumns ? operationNone : operationTranspose;
    int operationB = secondColumns ? operationTranspose : operationNone;
    setDescription(descTransposeA, &operationA, sizeof(operationA));
    setDescription(descTransposeB, &operationB, sizeof(operationB));

    int64_t rows = dColumnMajor ? problem.m : problem.n;
    int64_t cols = dColumnMajor ? problem.n : problem.m;
    layoutA = layout(first, rows, problem.k, problem);
    layoutB = layout(second, cols, problem.k, problem);
    layoutD = layout(d, problem.m, problem.n, problem);
    int c = epilogue.c >= 0 ? epilogue.c : d;
    if (signature.operands[c].columnMajor != dColumnMajor)
      throw ToolError("cuBLASLt wants C and D in the same order");
    layoutC = layout(c, problem.m, problem.n, problem);

    if (epilogue.bias >= 0) {
      Dim along = signature.operands[epilogue.bias].dims[0];
      if ((along == Dim::M) != dColumnMajor)
        throw ToolError("cuBLASLt adds a bias along the contiguous dimension "
                        "of D only; " +
                        signature.operands[epilogue.bias].name +
                        " runs along " + std::string(dimName(along)));
    }
    int kind = (epilogue.relu ? epilogueRelu : 0) |
               (epilogue.bias >= 0 ? epilogueBias : 0);
    if (kind == 0)
      kind = epilogueDefault;
    setDescription(descEpilogue, &kind, sizeof(kind));
    if (epilogue.bias >= 0) {
      int type = dataType(signature.operands[epilogue.bias].type);
      const void *pointer = problem.operands[epilogue.bias].data;
      setDescription(descBiasType, &type, sizeof(type));
      setDescription(descBiasPointer, &pointer, sizeof(pointer));
    }
  }

  void choose(const gemm_problem &problem) {
    library.check(library.preferenceCreate(&preference),
                  "cublasLtMatmulPreferenceCreate");
    auto set = [&](int attribute, const void *value, size_t size) {
      library.check(library.preferenceSet(preference, attribute, value, size),
                    "cublasLtMatmulPreferenceSetAttribute");
    };
    size_t bytes = workspaceBytes;
    set(preferenceWorkspace, &bytes, sizeof(bytes));
    int c = epilogue.c >= 0 ? epilogue.c : d;
    const std::pair<int, int> alignments[] = {{preferenceAlignmentA, first},
                                              {preferenceAlignmentB, second},
                                              {preferenceAlignmentC, c},
                                              {preferenceAlignmentD, d}};
    for (auto [attribute, operand] : alignments) {
      uint32_t alignment = alignmentOf(problem.operands[operand].data);
      set(attribute, &alignment, sizeof(alignment));
    }
    algorithms.resize(32);
    int found = 0;
    int status = library.heuristic(
        handle, description, layoutA, layoutB, layoutC, layoutD, preference,
        static_cast<int>(algorithms.size()), algorithms.data(), &found);
    algorithms.resize(std::max(found, 0));
    std::erase_if(algorithms,
                  [](const HeuristicResult &item) { return item.state != 0; });
    if (status != 0 || algorithms.empty())
      throw ToolError("cuBLASLt has no algorithm for this problem (" +
                      std::string(library.statusName(status)) + ")");
    workspace.require(workspaceBytes);
  }

  double scalar(int index, const gemm_problem &problem, double none) const {
    return index >= 0 ? problem.scalars[index] : none;
  }

  int run(size_t candidate, const gemm_problem &problem) const {
    HostScalar alpha(scaleType, scalar(epilogue.alpha, problem, 1));
    HostScalar beta(scaleType,
                    epilogue.c < 0 ? 0 : scalar(epilogue.beta, problem, 1));
    int c =
        epilogue.c >= 0 && problem.operands[epilogue.c].data ? epilogue.c : d;
    return library.matmul(
        handle, description, alpha.bytes, problem.operands[first].data, layoutA,
        problem.operands[second].data, layoutB, beta.bytes,
        problem.operands[c].data, layoutC, problem.operands[d].data, layoutD,
        &algorithms[candidate].algorithm, workspace.data(), workspaceBytes,
        device.stream());
  }
};

std::vector<std::string> cublasLtCandidates(const std::string &path) {
  if (!path.empty())
    return {path};
  const char *names[] = {"libcublasLt.so.13", "libcublasLt.so.12",
                         "libcublasLt.so"};
  std::vector<std::string> result(std::begin(names), std::end(names));
  std::vector<std::string> folders;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *home = std::getenv(variable))
      folders.push_back(std::string(home) + "/lib64");
  folders.push_back("/usr/local/cuda/lib64");

  // NVIDIA's wheels: nvidia/cublas/lib (CUDA 12), nvidia/cu13/lib.
  std::vector<std::string> roots = {"/usr", "/usr/local"};
  for (const char *variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char *root = std::getenv(variable))
      roots.push_back(root);
  if (const char *home = std::getenv("HOME"))
    roots.push_back(std::string(home) + "/.local");
  for (const std::string &root : roots) {
    for (const char *packages : {"site-packages", "dist-packages"}) {
      std::string pattern =
          root + "/lib/python3*/" + packages + "/nvidia/*/lib";
      glob_t found = {};
      if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
        folders.insert(folders.end(), found.gl_pathv,
                       found.gl_pathv + found.gl_pathc);
      globfree(&found);
    }
  }
  for (const std::string &folder : folders)
    for (const char *name : names)
      result.push_back(folder + "/" + name);
  return result;
}

CublasLtMatmul::CublasLtMatmul(const Device &device, const std::string &path,
                               const Signature &signature,
                               const gemm_problem &problem)
    : implementation(
          std::make_unique<Implementation>(device, path, signature, problem)) {}

CublasLtMatmul::~CublasLtMatmul() = default;

size_t CublasLtMatmul::candidates() const {
  return implementation->algorithms.size();
}

std::string CublasLtMatmul::version() const {
  // 130100 is 13.1.0; before 12 one digit less is used, which nobody has.
  size_t number = implementation->library.version();
  return "cuBLASLt " + std::to_string(number / 10000) + "." +
         std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

bool CublasLtMatmul::run(size_t candidate, const gemm_problem &problem) const {
  return implementation->run(candidate, problem) == 0;
}

} // namespace gemm::tools
