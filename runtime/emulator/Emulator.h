// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Public interface of the PTX emulator: a device that runs PTX text on the CPU,
// checks it, and counts what it does. Knows the PTX ISA and nothing else.
//
// Thread safety: a Module is immutable after parse() and may be shared. A
// Device serialises nothing: callers must not use one Device from two threads
// at once.
#ifndef GEMM_EMULATOR_EMULATOR_H
#define GEMM_EMULATOR_EMULATOR_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gemm::emulator {

/// A value, or the one-line reason why there is none.
template <class T> class Expected {
public:
  Expected(T v) : value(std::move(v)) {}
  static Expected failure(std::string message) {
    Expected e;
    e.message = std::move(message);
    return e;
  }
  explicit operator bool() const { return value.has_value(); }
  T &operator*() { return *value; }
  const T &operator*() const { return *value; }
  T *operator->() { return &*value; }
  const std::string &error() const { return message; }

private:
  Expected() = default;
  std::optional<T> value;
  std::string message;
};

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// One kernel parameter, laid out as the driver lays it out (PTX ISA,
/// "Kernel Function Parameters"): natural alignment unless `.align` says more.
struct ParamInfo {
  std::string name;
  size_t size = 0;        ///< bytes
  size_t alignment = 1;   ///< bytes
  size_t offset = 0;      ///< bytes from the start of the packed buffer
  bool aggregate = false; ///< declared as an array of .b8 (passed by value)
};

struct EntryInfo {
  std::string name;
  std::vector<ParamInfo> params;
  size_t paramBytes = 0;
  size_t staticShared = 0;  ///< bytes, of variables that the entry can reach
  Dim3 reqntid{0, 0, 0};    ///< 0: not given
  Dim3 maxntid{0, 0, 0};    ///< 0: not given
  Dim3 reqCluster{0, 0, 0}; ///< .reqnctapercluster; 0: not given
  bool explicitCluster = false;
  unsigned line = 0;
};

/// When an asynchronous operation's effect lands between its issue and the
/// point that waits for it. Every choice is one the ISA allows.
enum class AsyncMode { Late, Early, Random };

/// Strict turns notes into errors.
enum class SanitizeMode { Off, On, Strict };

enum class Severity { Note, Error };

/// Names of what a report is about; stable, for tests and tools.
enum class ReportKind {
  OutOfBounds,
  Misaligned,
  Undefined,
  Race,
  ProxyRace,
  AsyncMisuse,
  Barrier,
  Deadlock,
  Divergence,
  Trap,
  Limit,
  Unsupported,
  InvalidArgument,
};
const char *toString(ReportKind kind);

struct Report {
  Severity severity = Severity::Error;
  ReportKind kind = ReportKind::Trap;
  std::string message; ///< one line: cause, PTX line, CTA/warp/lane, addresses
  unsigned line = 0;   ///< PTX line, 0 if none
  uint64_t count = 1;  ///< occurrences at this site
};

struct LaunchOptions {
  uint64_t seed = 0;
  AsyncMode async = AsyncMode::Random;
  SanitizeMode sanitize = SanitizeMode::On;
  unsigned sms = 4; ///< streaming multiprocessors of the emulated chip
  /// Warp instructions after which the launch is stopped with a Limit report;
  /// 0: no limit.
  uint64_t maxWarpInstructions = 0;
  bool counters = false;
  unsigned maxReports = 20;
};

/// Counters of one kind of instruction of a PTX line (only with
/// LaunchOptions::counters).
struct SiteCounters {
  unsigned line = 0;
  std::string opcode;
  const char *className = ""; ///< as in ClassCounters
  uint64_t warpInstructions = 0;
  uint64_t laneInstructions = 0;
  uint64_t sharedRequests = 0;
  uint64_t sharedWavefronts = 0;
  uint64_t sharedIdealWavefronts = 0;
  uint64_t globalRequests = 0;
  uint64_t globalSectors = 0; ///< 32-byte sectors
};

/// Instructions of one kind. The names are few and stable: "integer", "float",
/// "conversion", "comparison", "move", "tensor", "shared load" (also ldmatrix),
/// "shared store" (also stmatrix), "global load", "global store", "local load",
/// "local store", "generic load", "generic store", "parameter load", "constant
/// load", "atomic", "async copy", "synchronization" (barriers, fences, commits,
/// waits), "warp" (shuffles, votes), "control", "other".
struct ClassCounters {
  const char *name = "";
  uint64_t warpInstructions = 0;
  uint64_t laneInstructions = 0;
};

/// Shared memory counts what warps do: loads, stores, ldmatrix, stmatrix, and
/// what cp.async writes. Not counted, because the ISA does not say how they are
/// served: wmma.load and .store, bulk and tensor copies, wgmma's operands,
/// atomics on shared memory.
struct Counters {
  uint64_t warpInstructions = 0;
  uint64_t laneInstructions = 0;
  /// Bytes that lanes and copies ask for: those of lanes that read the same
  /// address, each; those that a tensor copy fills or leaves out, not.
  uint64_t globalBytesRead = 0;
  uint64_t globalBytesWritten = 0;
  /// 32-byte sectors that the requests touch, each as often as a request does.
  uint64_t globalSectors = 0;
  uint64_t tensorOps = 0; ///< multiply-adds x 2 of tensor instructions
  uint64_t floatOps = 0;  ///< multiply-adds x 2, adds, multiplies of SIMT code
  std::vector<ClassCounters> classes; ///< those that occurred, most first
  std::vector<SiteCounters> sites;    ///< in order of lines
};

struct LaunchResult {
  /// True when the kernel ran to its end and no Error was reported.
  bool ok = false;
  /// Set when the launch was refused before anything ran, as the driver would.
  std::string refusal;
  std::vector<Report> reports;
  Counters counters;
  std::string summary() const; ///< all reports, one a line
};

/// A parsed and predecoded PTX module.
class Module {
public:
  ~Module();
  /// Errors carry "line N: ...". An unknown instruction is an error here,
  /// before anything runs.
  static Expected<std::shared_ptr<const Module>> parse(std::string_view ptx);

  const std::vector<EntryInfo> &entries() const;
  const EntryInfo *entry(std::string_view name) const;
  const std::string &target() const; ///< "sm_90a"
  unsigned ptxVersion() const;       ///< 86 for 8.6

  struct Impl;
  explicit Module(std::unique_ptr<Impl> impl);
  const Impl &implementation() const { return *impl; }

private:
  std::unique_ptr<Impl> impl;
};

/// Limits of the emulated chip, as the driver reports them.
struct DeviceLimits {
  unsigned computeCapability = 0; ///< 90 for sm_90
  size_t sharedPerBlockOptin = 0; ///< bytes
  size_t sharedPerSm = 0;         ///< bytes
  unsigned threadsPerSm = 0;
  unsigned ctasPerSm = 0;
  bool clusters = false;
};

/// Arguments of cuTensorMapEncodeTiled, with the driver API's enumerators'
/// values.
struct TiledMapArguments {
  unsigned dataType = 0;
  unsigned rank = 0;                    ///< 1..5
  uint64_t globalAddress = 0;           ///< device address, 16-byte aligned
  std::vector<uint64_t> globalDim;      ///< rank extents, innermost first
  std::vector<uint64_t> globalStrides;  ///< rank-1 byte strides
  std::vector<uint32_t> boxDim;         ///< rank extents
  std::vector<uint32_t> elementStrides; ///< rank
  unsigned interleave = 0;
  unsigned swizzle = 0;
  unsigned l2Promotion = 0;
  unsigned oobFill = 0;
};

/// Writes the emulator's own 128-byte tensor map (opaque, as the driver's is).
/// Returns an empty string, or why cuTensorMapEncodeTiled would refuse.
std::string encodeTiledMap(const TiledMapArguments &arguments, void *map128);

class Device {
public:
  ~Device();
  /// target: "sm_75".."sm_120", with or without 'a'; decides limits and the
  /// tensor-core arithmetic. Fails on an unknown name.
  static Expected<std::unique_ptr<Device>> create(std::string_view target);

  const std::string &target() const;
  const DeviceLimits &limits() const;

  /// Device memory in the emulator's own 64-bit address space, 256-byte aligned
  /// by default, with unmapped guard zones around it. Contents are undefined.
  Expected<uint64_t> allocate(size_t bytes, size_t alignment = 256);
  /// Empty string, or why not (not an allocation's start).
  std::string free(uint64_t address);
  /// Copies; empty string, or why not. A write makes the bytes defined.
  std::string write(uint64_t address, const void *source, size_t bytes);
  std::string read(uint64_t address, void *destination, size_t bytes) const;
  std::string fill(uint64_t address, uint8_t value, size_t bytes);
  /// Marks bytes as undefined again (poison).
  std::string undefine(uint64_t address, size_t bytes);
  /// Per-byte definedness, 1 = defined.
  std::string definedness(uint64_t address, uint8_t *flags, size_t bytes) const;

  /// Runs a kernel to its end. `params` is the packed parameter buffer of
  /// EntryInfo::paramBytes bytes.
  LaunchResult launch(const Module &module, std::string_view entry, Dim3 grid,
                      Dim3 block, Dim3 cluster, size_t dynamicShared,
                      const void *params, size_t paramBytes,
                      const LaunchOptions &options = {});
  /// The same with one pointer per parameter, as cuLaunchKernel's kernelParams.
  LaunchResult launch(const Module &module, std::string_view entry, Dim3 grid,
                      Dim3 block, Dim3 cluster, size_t dynamicShared,
                      void *const *params, const LaunchOptions &options = {});

  /// CTAs of this entry that are resident at once on one multiprocessor
  /// (shared memory and threads; registers are not modelled). 0: does not fit.
  unsigned residentCtasPerSm(const EntryInfo &entry, Dim3 block,
                             size_t dynamicShared) const;

  struct Impl;

private:
  explicit Device(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace gemm::emulator

#endif // GEMM_EMULATOR_EMULATOR_H
