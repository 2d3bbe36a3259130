// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptx-run: runs one kernel of a PTX file on the emulator, with buffers from and
// to files. A test driver; gemm-run is the tool for artifacts.
#include "Emulator.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace gemm::emulator;

namespace {

[[noreturn]] void fail(const std::string &message) {
  std::cerr << "ptx-run: " << message << "\n";
  std::exit(2);
}

std::string readFile(const std::string &path) {
  std::ifstream f(path, std::ios::binary);
  if (!f)
    fail("cannot read '" + path + "'");
  return std::string(std::istreambuf_iterator<char>(f), {});
}

std::vector<std::string> split(const std::string &s, char by) {
  std::vector<std::string> r;
  std::stringstream in(s);
  for (std::string part; std::getline(in, part, by);)
    r.push_back(part);
  return r;
}

uint64_t number(const std::string &s) {
  try {
    size_t used = 0;
    uint64_t v = std::stoull(s, &used, 0);
    if (used == s.size())
      return v;
  } catch (const std::exception &) {
  }
  fail("'" + s + "' is not a number");
}

Dim3 dimensions(const std::string &s) {
  auto parts = split(s, ',');
  uint32_t d[3] = {1, 1, 1};
  if (parts.empty() || parts.size() > 3)
    fail("'" + s + "' is not a dimension: X, X,Y or X,Y,Z");
  for (size_t i = 0; i < parts.size(); ++i)
    d[i] = uint32_t(number(parts[i]));
  return {d[0], d[1], d[2]};
}

struct Output {
  uint64_t address;
  size_t bytes;
  std::string path;
};

/// The arguments of one launch, packed as the entry declares them.
class Arguments {
public:
  Arguments(Device &device, const EntryInfo &entry)
      : device(device), entry(entry), packed(entry.paramBytes, 0) {}

  void add(const std::string &text) {
    if (index >= entry.params.size())
      fail("entry '" + entry.name + "' takes " +
           std::to_string(entry.params.size()) + " arguments");
    size_t eq = text.find('=');
    if (eq == std::string::npos)
      fail("argument '" + text + "' is not KIND=VALUE");
    std::string kind = text.substr(0, eq), value = text.substr(eq + 1);
    if (kind == "i32" || kind == "u32") {
      put(text, uint32_t(std::stoll(value, nullptr, 0)));
    } else if (kind == "i64" || kind == "u64") {
      put(text, uint64_t(std::stoll(value, nullptr, 0)));
    } else if (kind == "f32") {
      put(text, std::stof(value));
    } else if (kind == "f64") {
      put(text, std::stod(value));
    } else if (kind == "in") {
      std::string data = readFile(value);
      uint64_t a = allocate(data.size());
      check(device.write(a, data.data(), data.size()));
      put(text, a);
    } else if (kind == "out") {
      auto parts = split(value, ':');
      if (parts.size() != 2)
        fail("'" + text + "' is not out=BYTES:FILE");
      size_t bytes = number(parts[0]);
      uint64_t a = allocate(bytes);
      outputs.push_back({a, bytes, parts[1]});
      put(text, a);
    } else if (kind == "inout") {
      auto parts = split(value, ':');
      if (parts.size() != 2)
        fail("'" + text + "' is not inout=FILE:FILE");
      std::string data = readFile(parts[0]);
      uint64_t a = allocate(data.size());
      check(device.write(a, data.data(), data.size()));
      outputs.push_back({a, data.size(), parts[1]});
      put(text, a);
    } else if (kind == "zero") {
      size_t bytes = number(value);
      uint64_t a = allocate(bytes);
      check(device.fill(a, 0, bytes));
      put(text, a);
    } else if (kind == "map") {
      addMap(text, value);
    } else {
      fail("unknown argument kind '" + kind + "'");
    }
  }

  const std::vector<uint8_t> &finish() const {
    if (index != entry.params.size())
      fail("entry '" + entry.name + "' takes " +
           std::to_string(entry.params.size()) + " arguments, " +
           std::to_string(index) + " given");
    return packed;
  }
  void writeOutputs() const {
    for (const Output &o : outputs) {
      std::vector<char> data(o.bytes);
      check(device.read(o.address, data.data(), o.bytes));
      std::ofstream f(o.path, std::ios::binary);
      if (!f.write(data.data(), std::streamsize(data.size())))
        fail("cannot write '" + o.path + "'");
    }
  }

private:
  static void check(const std::string &error) {
    if (!error.empty())
      fail(error);
  }
  uint64_t allocate(size_t bytes) {
    auto a = device.allocate(bytes);
    if (!a)
      fail(a.error());
    buffers.push_back(*a);
    return *a;
  }
  template <class T> void put(const std::string &text, T value) {
    const ParamInfo &p = entry.params[index++];
    if (p.size != sizeof(T))
      fail("'" + text + "': parameter '" + p.name + "' has " +
           std::to_string(p.size) + " bytes");
    std::memcpy(packed.data() + p.offset, &value, sizeof(T));
  }
  /// BUFFER:TYPE:DIMS:STRIDES:BOX:SWIZZLE, the lists separated by commas, the
  /// numbers those of cuTensorMapEncodeTiled; BUFFER counts the buffers so far.
  void addMap(const std::string &text, const std::string &value) {
    auto parts = split(value, ':');
    if (parts.size() != 6)
      fail("'" + text + "' is not map=BUFFER:TYPE:DIMS:STRIDES:BOX:SWIZZLE");
    TiledMapArguments t;
    size_t buffer = number(parts[0]);
    if (buffer >= buffers.size())
      fail("'" + text + "': there is no buffer " + parts[0] + " before it");
    t.globalAddress = buffers[buffer];
    t.dataType = unsigned(number(parts[1]));
    for (const std::string &d : split(parts[2], ','))
      t.globalDim.push_back(number(d));
    for (const std::string &d : split(parts[3], ','))
      t.globalStrides.push_back(number(d));
    for (const std::string &d : split(parts[4], ','))
      t.boxDim.push_back(uint32_t(number(d)));
    t.rank = unsigned(t.globalDim.size());
    t.elementStrides.assign(t.rank, 1);
    t.swizzle = unsigned(number(parts[5]));
    const ParamInfo &p = entry.params[index++];
    if (p.size != 128)
      fail("'" + text + "': parameter '" + p.name + "' is no tensor map");
    check(encodeTiledMap(t, packed.data() + p.offset));
  }

  Device &device;
  const EntryInfo &entry;
  std::vector<uint8_t> packed;
  std::vector<uint64_t> buffers;
  std::vector<Output> outputs;
  size_t index = 0;
};

void printCounters(const Counters &c, bool json) {
  if (json) {
    nlohmann::json j;
    j["warp_instructions"] = c.warpInstructions;
    j["lane_instructions"] = c.laneInstructions;
    j["global_bytes_read"] = c.globalBytesRead;
    j["global_bytes_written"] = c.globalBytesWritten;
    j["global_sectors"] = c.globalSectors;
    j["tensor_operations"] = c.tensorOps;
    j["float_operations"] = c.floatOps;
    for (const ClassCounters &cls : c.classes)
      j["classes"][cls.name] = {{"warp_instructions", cls.warpInstructions},
                                {"lane_instructions", cls.laneInstructions}};
    for (const SiteCounters &s : c.sites)
      j["sites"].push_back(
          {{"line", s.line},
           {"opcode", s.opcode},
           {"warp_instructions", s.warpInstructions},
           {"lane_instructions", s.laneInstructions},
           {"shared_requests", s.sharedRequests},
           {"shared_wavefronts", s.sharedWavefronts},
           {"shared_wavefronts_ideal", s.sharedIdealWavefronts},
           {"global_requests", s.globalRequests},
           {"global_sectors", s.globalSectors}});
    std::cout << j.dump(1) << "\n";
    return;
  }
  std::printf("warp instructions   %llu\nlane instructions   %llu\nglobal "
              "bytes read   %llu\nglobal bytes written %llu\n"
              "tensor operations   %llu\nfloat operations    %llu\n",
              (unsigned long long)c.warpInstructions,
              (unsigned long long)c.laneInstructions,
              (unsigned long long)c.globalBytesRead,
              (unsigned long long)c.globalBytesWritten,
              (unsigned long long)c.tensorOps, (unsigned long long)c.floatOps);
  for (const ClassCounters &cls : c.classes)
    std::printf("%-20s%llu warp instructions, %llu lanes\n", cls.name,
                (unsigned long long)cls.warpInstructions,
                (unsigned long long)cls.laneInstructions);
  for (const SiteCounters &s : c.sites)
    if (s.sharedRequests || s.globalRequests)
      std::printf("line %5u %-40s %8llu requests, %8llu wavefronts (%llu "
                  "without conflicts), %8llu sectors\n",
                  s.line, s.opcode.substr(0, 40).c_str(),
                  (unsigned long long)(s.sharedRequests + s.globalRequests),
                  (unsigned long long)s.sharedWavefronts,
                  (unsigned long long)s.sharedIdealWavefronts,
                  (unsigned long long)s.globalSectors);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{
      "Runs a kernel of a PTX file on the emulator.\n"
      "Arguments of the kernel, in order: i32= u32= i64= u64= f32= f64=VALUE, "
      "in=FILE, out=BYTES:FILE,\n"
      "inout=FILE:FILE, zero=BYTES, map=BUFFER:TYPE:DIMS:STRIDES:BOX:SWIZZLE."};
  std::string path, entryName, target, grid = "1", block = "32", cluster = "1",
                                       async = "random", sanitize = "on",
                                       counters;
  size_t shared = 0;
  bool list = false;
  LaunchOptions options;
  std::vector<std::string> arguments;
  app.add_option("ptx", path, "PTX file")->required();
  app.add_option("arguments", arguments, "kernel arguments");
  app.add_option("--entry", entryName, "kernel; the only one by default");
  app.add_option("--device", target,
                 "sm_75 to sm_90a; the file's .target by default");
  app.add_option("--grid", grid, "X[,Y[,Z]] CTAs");
  app.add_option("--block", block, "X[,Y[,Z]] threads");
  app.add_option("--cluster", cluster, "X[,Y[,Z]] CTAs of a cluster");
  app.add_option("--shared", shared, "dynamic shared memory, bytes");
  app.add_option("--seed", options.seed, "of the schedule");
  app.add_option("--sms", options.sms, "multiprocessors");
  app.add_option("--async", async, "when asynchronous operations land")
      ->check(CLI::IsMember({"late", "early", "random"}));
  app.add_option("--sanitize", sanitize, "checks")
      ->check(CLI::IsMember({"on", "off", "strict"}));
  app.add_option("--limit", options.maxWarpInstructions,
                 "stop after so many warp instructions");
  app.add_option("--counters", counters, "print counters")
      ->check(CLI::IsMember({"table", "json"}));
  app.add_flag("--list", list, "list the kernels and their parameters");
  CLI11_PARSE(app, argc, argv);

  auto module = Module::parse(readFile(path));
  if (!module)
    fail(path + ": " + module.error());
  if (list) {
    for (const EntryInfo &e : (*module)->entries()) {
      std::cout << e.name << ": " << e.paramBytes << " bytes of parameters, "
                << e.staticShared << " of static shared memory\n";
      for (const ParamInfo &p : e.params)
        std::cout << "  " << p.offset << ": " << p.size << " bytes, aligned to "
                  << p.alignment << ", " << p.name << "\n";
    }
    return 0;
  }
  const auto &entries = (*module)->entries();
  if (entryName.empty() && entries.size() != 1)
    fail("the file has " + std::to_string(entries.size()) +
         " kernels; --entry names one");
  const EntryInfo *entry =
      entryName.empty() ? &entries[0] : (*module)->entry(entryName);
  if (!entry)
    fail("there is no kernel '" + entryName + "'");
  auto device = Device::create(target.empty() ? (*module)->target() : target);
  if (!device)
    fail(device.error());
  options.async = async == "late"    ? AsyncMode::Late
                  : async == "early" ? AsyncMode::Early
                                     : AsyncMode::Random;
  options.sanitize = sanitize == "off"      ? SanitizeMode::Off
                     : sanitize == "strict" ? SanitizeMode::Strict
                                            : SanitizeMode::On;
  options.counters = !counters.empty();
  Arguments args(**device, *entry);
  for (const std::string &a : arguments)
    args.add(a);
  const auto &packed = args.finish();
  LaunchResult r = (*device)->launch(
      **module, entry->name, dimensions(grid), dimensions(block),
      dimensions(cluster), shared, packed.data(), packed.size(), options);
  std::cerr << r.summary();
  if (!r.refusal.empty())
    return 2;
  args.writeOutputs();
  if (options.counters)
    printCounters(r.counters, counters == "json");
  return r.ok ? 0 : 1;
}
