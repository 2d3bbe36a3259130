// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public interface: modules, devices, launches and their refusals.
#include "Emulator.h"
#include "Machine.h"
#include "TensorMap.h"

#include <algorithm>
#include <cstring>

namespace gemm::emulator {

// Module.

Module::Module(std::unique_ptr<Impl> i) : impl(std::move(i)) {}
Module::~Module() = default;

Expected<std::shared_ptr<const Module>> Module::parse(std::string_view ptx) {
  using Result = Expected<std::shared_ptr<const Module>>;
  try {
    auto impl = std::make_unique<Impl>();
    impl->syntax = parseModule(ptx);
    decodeModule(*impl);
    return Result(std::make_shared<Module>(std::move(impl)));
  } catch (const PtxError &e) {
    return Result::failure(e.what());
  }
}

const std::vector<EntryInfo> &Module::entries() const { return impl->entries; }
const EntryInfo *Module::entry(std::string_view name) const {
  for (const EntryInfo &e : impl->entries)
    if (e.name == name)
      return &e;
  return nullptr;
}
const std::string &Module::target() const { return impl->syntax.target; }
unsigned Module::ptxVersion() const { return impl->syntax.version; }

// Tensor maps.

std::string encodeTiledMap(const TiledMapArguments &a, void *map128) {
  auto need = [](size_t have, size_t want, const char *what) {
    return have == want ? std::string()
                        : std::string(what) + " needs " + std::to_string(want) +
                              " entries";
  };
  if (a.rank < 1 || a.rank > 5)
    return "the rank must be 1 to 5, not " + std::to_string(a.rank);
  for (std::string e :
       {need(a.globalDim.size(), a.rank, "globalDim"),
        need(a.globalStrides.size(), a.rank - 1, "globalStrides"),
        need(a.boxDim.size(), a.rank, "boxDim"),
        need(a.elementStrides.size(), a.rank, "elementStrides")})
    if (!e.empty())
      return e;
  TensorMapFields f;
  f.type = TensorMapType(a.dataType);
  f.rank = a.rank;
  f.globalAddress = a.globalAddress;
  std::copy(a.globalDim.begin(), a.globalDim.end(), f.globalDim);
  std::copy(a.globalStrides.begin(), a.globalStrides.end(), f.globalStrides);
  std::copy(a.boxDim.begin(), a.boxDim.end(), f.boxDim);
  std::copy(a.elementStrides.begin(), a.elementStrides.end(), f.elementStrides);
  f.interleave = TensorMapInterleave(a.interleave);
  f.swizzle = TensorMapSwizzle(a.swizzle);
  f.l2Promotion = TensorMapL2Promotion(a.l2Promotion);
  f.fill = TensorMapFill(a.oobFill);
  TensorMap map;
  std::string error;
  if (!encodeTensorMap(f, map, error))
    return error;
  std::memcpy(map128, map.words, 128);
  return "";
}

// Device.

struct Device::Impl {
  std::string target;
  DeviceLimits limits;
  GlobalMemory memory;
  /// Addresses of each module's .global and .const variables.
  std::map<uint64_t, std::vector<uint64_t>> moduleVariables;

  std::string prepare(const Module::Impl &module,
                      std::vector<uint64_t> &addresses);
  std::string check(const Module &module, const EntryInfo &e, Dim3 grid,
                    Dim3 block, Dim3 &cluster, size_t dynamicShared) const;
};

namespace {
/// CUDA C++ Programming Guide, "Compute Capabilities", technical
/// specifications.
struct ChipRow {
  unsigned capability;
  size_t optin, perSm;
  unsigned threads, ctas;
};
constexpr ChipRow kChips[] = {
    {75, 64 << 10, 64 << 10, 1024, 16},  {80, 163 << 10, 164 << 10, 2048, 32},
    {86, 99 << 10, 100 << 10, 1536, 16}, {87, 163 << 10, 164 << 10, 1536, 16},
    {89, 99 << 10, 100 << 10, 1536, 24}, {90, 227 << 10, 228 << 10, 2048, 32},
};

/// "sm_90a" -> 90 and 'a'; false if it is no target name.
bool splitTarget(std::string_view name, unsigned &capability, char &suffix) {
  if (name.substr(0, 3) != "sm_")
    return false;
  capability = 0;
  suffix = 0;
  size_t i = 3;
  for (; i < name.size() && name[i] >= '0' && name[i] <= '9' && i < 8; ++i)
    capability = capability * 10 + unsigned(name[i] - '0');
  if (i == 3)
    return false;
  if (i < name.size()) {
    suffix = name[i++];
    if (suffix != 'a' && suffix != 'f')
      return false;
  }
  return i == name.size();
}
std::string shown(Dim3 d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " +
         std::to_string(d.z) + ")";
}
} // namespace

Device::Device(std::unique_ptr<Impl> i) : impl(std::move(i)) {}
Device::~Device() = default;

Expected<std::unique_ptr<Device>> Device::create(std::string_view target) {
  using Result = Expected<std::unique_ptr<Device>>;
  unsigned capability;
  char suffix;
  std::string known;
  if (splitTarget(target, capability, suffix))
    for (const ChipRow &r : kChips)
      if (r.capability == capability) {
        auto impl = std::make_unique<Impl>();
        impl->target = target;
        impl->limits = {capability, r.optin, r.perSm,
                        r.threads,  r.ctas,  capability >= 90};
        return Result(std::unique_ptr<Device>(new Device(std::move(impl))));
      }
  for (const ChipRow &r : kChips)
    known += (known.empty() ? "sm_" : ", sm_") + std::to_string(r.capability);
  return Result::failure("the emulator has no device '" + std::string(target) +
                         "'; it has " + known +
                         ", each with or without an 'a'");
}

const std::string &Device::target() const { return impl->target; }
const DeviceLimits &Device::limits() const { return impl->limits; }

Expected<uint64_t> Device::allocate(size_t bytes, size_t alignment) {
  std::string error;
  uint64_t a = impl->memory.allocate(bytes, alignment, error);
  return a ? Expected<uint64_t>(a) : Expected<uint64_t>::failure(error);
}

static std::string outside(const GlobalMemory &m, uint64_t address,
                           size_t bytes) {
  char t[200];
  std::snprintf(t, sizeof t,
                "%zu bytes at 0x%llx are not inside one allocation: ", bytes,
                (unsigned long long)address);
  return t + m.describe(address);
}

std::string Device::free(uint64_t address) {
  return impl->memory.release(address) ? ""
                                       : "not the start of an allocation: " +
                                             impl->memory.describe(address);
}
std::string Device::write(uint64_t address, const void *source, size_t bytes) {
  if (!impl->memory.contains(address, bytes))
    return outside(impl->memory, address, bytes);
  std::memcpy(impl->memory.data(address), source, bytes);
  std::memset(impl->memory.shadow(address), kAddressable | kDefined, bytes);
  return "";
}
std::string Device::read(uint64_t address, void *destination,
                         size_t bytes) const {
  if (!impl->memory.contains(address, bytes))
    return outside(impl->memory, address, bytes);
  std::memcpy(destination, impl->memory.data(address), bytes);
  return "";
}
std::string Device::fill(uint64_t address, uint8_t value, size_t bytes) {
  if (!impl->memory.contains(address, bytes))
    return outside(impl->memory, address, bytes);
  std::memset(impl->memory.data(address), value, bytes);
  std::memset(impl->memory.shadow(address), kAddressable | kDefined, bytes);
  return "";
}
std::string Device::undefine(uint64_t address, size_t bytes) {
  if (!impl->memory.contains(address, bytes))
    return outside(impl->memory, address, bytes);
  std::memset(impl->memory.shadow(address), kAddressable, bytes);
  return "";
}
std::string Device::definedness(uint64_t address, uint8_t *flags,
                                size_t bytes) const {
  if (!impl->memory.contains(address, bytes))
    return outside(impl->memory, address, bytes);
  const uint8_t *s = impl->memory.shadow(address);
  for (size_t i = 0; i < bytes; ++i)
    flags[i] = (s[i] & kDefined) != 0;
  return "";
}

std::string Device::Impl::prepare(const Module::Impl &module,
                                  std::vector<uint64_t> &addresses) {
  auto found = moduleVariables.find(module.uniqueId);
  if (found != moduleVariables.end()) {
    addresses = found->second;
    return "";
  }
  const auto &vars = module.syntax.vars;
  addresses.assign(vars.size(), 0);
  for (size_t i = 0; i < vars.size(); ++i) {
    const VarDecl &v = vars[i];
    if (v.space != Space::Global && v.space != Space::Const)
      continue;
    if (v.isExtern)
      return "variable '" + v.name +
             "' is declared .extern and defined nowhere";
    std::string error;
    addresses[i] = memory.allocate(std::max<uint64_t>(v.size, 1),
                                   std::max(v.align, 16u), error);
    if (!addresses[i])
      return error;
    if (v.size) {
      std::memset(memory.data(addresses[i]), 0, v.size);
      if (!v.init.empty())
        std::memcpy(memory.data(addresses[i]), v.init.data(), v.size);
      std::memset(memory.shadow(addresses[i]), kAddressable | kDefined, v.size);
    }
  }
  for (size_t i = 0; i < vars.size(); ++i)
    for (const auto &r : vars[i].relocations) {
      auto target = module.syntax.varIndex.find(r.symbol);
      if (target == module.syntax.varIndex.end() || !addresses[target->second])
        return "the initialiser of '" + vars[i].name + "' names '" + r.symbol +
               "', which has no global address";
      uint64_t value = addresses[target->second] + uint64_t(r.addend);
      std::memcpy(memory.data(addresses[i]) + r.offset, &value,
                  std::min(r.width, 8u));
    }
  moduleVariables[module.uniqueId] = addresses;
  return "";
}

std::string Device::Impl::check(const Module &module, const EntryInfo &e,
                                Dim3 grid, Dim3 block, Dim3 &cluster,
                                size_t dynamicShared) const {
  unsigned capability;
  char suffix, ownSuffix;
  unsigned own;
  if (!splitTarget(module.target(), capability, suffix))
    return "the module's target '" + module.target() + "' is unknown";
  splitTarget(target, own, ownSuffix);
  if (suffix == 'a' ? (capability != own || ownSuffix != 'a')
                    : capability > own)
    return "PTX for " + module.target() + " does not run on " + target;
  if (grid.count() == 0 || grid.x > 0x7fffffffu || grid.y > 65535 ||
      grid.z > 65535)
    return "grid " + shown(grid) +
           " is empty or larger than (2147483647, 65535, 65535)";
  if (block.count() == 0 || block.count() > 1024 || block.x > 1024 ||
      block.y > 1024 || block.z > 64)
    return "block " + shown(block) +
           " is empty or has more than 1024 threads (z: 64)";
  if (e.reqntid.x && (block.x != e.reqntid.x || block.y != e.reqntid.y ||
                      block.z != e.reqntid.z))
    return "block " + shown(block) + " is not the .reqntid " +
           shown(e.reqntid) + " of '" + e.name + "'";
  if (e.maxntid.x && block.count() > e.maxntid.count())
    return "block " + shown(block) + " exceeds the .maxntid " +
           shown(e.maxntid) + " of '" + e.name + "'";
  if (cluster.x == 0)
    cluster.x = 1;
  if (cluster.y == 0)
    cluster.y = 1;
  if (cluster.z == 0)
    cluster.z = 1;
  if (e.reqCluster.x) {
    if (cluster.count() == 1)
      cluster = e.reqCluster;
    else if (cluster.x != e.reqCluster.x || cluster.y != e.reqCluster.y ||
             cluster.z != e.reqCluster.z)
      return "cluster " + shown(cluster) + " is not the .reqnctapercluster " +
             shown(e.reqCluster) + " of '" + e.name + "'";
  }
  if (cluster.count() > 1) {
    if (!limits.clusters)
      return target + " has no clusters";
    if (cluster.count() > 16)
      return "cluster " + shown(cluster) + " has more than 16 CTAs";
    if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
      return "grid " + shown(grid) + " is not a multiple of cluster " +
             shown(cluster);
  }
  if (e.staticShared > (48 << 10))
    return "static shared memory of " + std::to_string(e.staticShared) +
           " bytes exceeds 49152";
  if (e.staticShared + dynamicShared > limits.sharedPerBlockOptin)
    return "shared memory of " + std::to_string(e.staticShared) +
           " static and " + std::to_string(dynamicShared) +
           " dynamic bytes exceeds the " +
           std::to_string(limits.sharedPerBlockOptin) + " of " + target;
  return "";
}

unsigned Device::residentCtasPerSm(const EntryInfo &e, Dim3 block,
                                   size_t dynamicShared) const {
  const DeviceLimits &l = impl->limits;
  const size_t shared =
      (e.staticShared + dynamicShared + 127) / 128 * 128 + 1024;
  const unsigned threads = unsigned((block.count() + 31) / 32 * 32);
  if (!threads || threads > l.threadsPerSm ||
      e.staticShared + dynamicShared > l.sharedPerBlockOptin)
    return 0;
  return unsigned(
      std::min<size_t>({l.ctasPerSm, l.threadsPerSm / threads,
                        std::max<size_t>(1, l.sharedPerSm / shared)}));
}

LaunchResult Device::launch(const Module &module, std::string_view entry,
                            Dim3 grid, Dim3 block, Dim3 cluster,
                            size_t dynamicShared, const void *params,
                            size_t paramBytes, const LaunchOptions &options) {
  LaunchResult result;
  const EntryInfo *e = module.entry(entry);
  if (!e) {
    result.refusal = "the module has no entry '" + std::string(entry) + "'";
    return result;
  }
  if (paramBytes != e->paramBytes) {
    result.refusal = "entry '" + e->name + "' takes " +
                     std::to_string(e->paramBytes) +
                     " bytes of parameters, not " + std::to_string(paramBytes);
    return result;
  }
  result.refusal = impl->check(module, *e, grid, block, cluster, dynamicShared);
  if (!result.refusal.empty())
    return result;
  const Module::Impl &m = module.implementation();
  std::vector<uint64_t> addresses;
  result.refusal = impl->prepare(m, addresses);
  if (!result.refusal.empty())
    return result;
  const FunctionCode &code = m.functions[m.syntax.functionIndex.at(e->name)];
  Machine machine(impl->memory, m, code, options, result);
  machine.limits = impl->limits;
  machine.target = impl->target;
  machine.grid = grid;
  machine.block = block;
  machine.cluster = cluster;
  machine.explicitCluster = cluster.count() > 1 || e->explicitCluster;
  machine.dynamicShared = dynamicShared;
  const size_t align = std::max(16u, m.dynamicAlign);
  machine.dynamicOffset = (e->staticShared + align - 1) / align * align;
  machine.sharedBytes = machine.dynamicOffset + dynamicShared;
  machine.params.assign(static_cast<const uint8_t *>(params),
                        static_cast<const uint8_t *>(params) + paramBytes);
  machine.moduleAddresses = std::move(addresses);
  machine.ctasPerSm = residentCtasPerSm(*e, block, dynamicShared);
  // A cluster must fit the chip: a small one grows.
  unsigned sms = std::max(1u, options.sms);
  while (uint64_t(sms) * machine.ctasPerSm < cluster.count())
    ++sms;
  machine.smLoad.assign(sms, 0);
  machine.run();
  result.ok = std::none_of(
      result.reports.begin(), result.reports.end(),
      [](const Report &r) { return r.severity == Severity::Error; });
  return result;
}

LaunchResult Device::launch(const Module &module, std::string_view entry,
                            Dim3 grid, Dim3 block, Dim3 cluster,
                            size_t dynamicShared, void *const *params,
                            const LaunchOptions &options) {
  std::vector<uint8_t> packed;
  if (const EntryInfo *e = module.entry(entry)) {
    packed.assign(e->paramBytes, 0);
    for (size_t i = 0; i < e->params.size(); ++i)
      std::memcpy(packed.data() + e->params[i].offset, params[i],
                  e->params[i].size);
  }
  return launch(module, entry, grid, block, cluster, dynamicShared,
                packed.data(), packed.size(), options);
}

} // namespace gemm::emulator
