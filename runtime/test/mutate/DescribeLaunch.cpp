// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DescribeLaunch.h"
#include "DrawValue.h"

#include <cstring>
#include <sstream>
#include <stdexcept>

using namespace gemm;
using namespace gemm::mutate;

namespace {

std::vector<std::string> parts(const std::string &text, char by) {
  std::vector<std::string> result;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, by);)
    result.push_back(part);
  return result;
}

template <class T> std::vector<T> numbers(const std::string &text) {
  std::vector<T> result;
  for (const std::string &part : parts(text, ','))
    result.push_back(T(std::stoull(part, nullptr, 0)));
  return result;
}

emulator::Dim3 dimensions(std::vector<uint32_t> d) {
  d.resize(3, 1);
  return {d[0], d[1], d[2]};
}

class Builder {
public:
  Builder(Launch &launch, const emulator::EntryInfo &entry, uint64_t seed)
      : launch(launch), entry(entry), rng(seed) {
    auto made = emulator::Device::create(launch.device);
    if (!made)
      throw std::runtime_error(made.error());
    device = std::move(*made);
    launch.parameters.assign(entry.paramBytes, 0);
  }

  void add(const std::string &text) {
    const size_t equals = text.find('=');
    if (text.substr(0, equals) == "buffer") {
      const auto fields = parts(text.substr(equals + 1), ':');
      if (fields.size() != 2)
        throw std::runtime_error("'" + text + "' is not buffer=TYPE:ELEMENTS");
      random(fields[0], std::stoull(fields[1]));
      return;
    }
    if (index >= entry.params.size() || equals == std::string::npos)
      throw std::runtime_error("argument '" + text + "': the entry takes " +
                               std::to_string(entry.params.size()) +
                               " KIND=VALUE");
    const std::string kind = text.substr(0, equals),
                      value = text.substr(equals + 1);
    const auto fields = parts(value, ':');
    if (kind == "u32")
      put(text, uint32_t(std::stoll(value, nullptr, 0)));
    else if (kind == "u64")
      put(text, uint64_t(std::stoll(value, nullptr, 0)));
    else if (kind == "f32")
      put(text, std::stof(value));
    else if (kind == "random" && fields.size() == 2)
      put(text, random(fields[0], std::stoull(fields[1])));
    else if (kind == "zero")
      put(text, allocate(std::vector<uint8_t>(std::stoull(value)), false));
    else if (kind == "out")
      put(text, allocate(std::vector<uint8_t>(std::stoull(value), 0xa5), true));
    else if (kind == "map" && fields.size() == 6)
      map(text, fields);
    else
      throw std::runtime_error("argument '" + text + "' is of no known kind");
  }

  void finish() const {
    if (index != entry.params.size())
      throw std::runtime_error("the entry takes " +
                               std::to_string(entry.params.size()) +
                               " arguments, not " + std::to_string(index));
  }

private:
  template <class T> void put(const std::string &text, T value) {
    const emulator::ParamInfo &p = entry.params[index++];
    if (p.size != sizeof(T))
      throw std::runtime_error("argument '" + text + "': the parameter has " +
                               std::to_string(p.size) + " bytes");
    std::memcpy(launch.parameters.data() + p.offset, &value, sizeof(T));
  }
  uint64_t allocate(std::vector<uint8_t> content, bool undefined) {
    auto address = device->allocate(content.size());
    if (!address)
      throw std::runtime_error(address.error());
    launch.memory.push_back({*address, std::move(content), undefined});
    return *address;
  }
  uint64_t random(const std::string &type, size_t elements) {
    const size_t bytes = type == "f64" ? 8 : type == "f32" ? 4 : 2;
    std::vector<uint8_t> content(elements * bytes);
    for (size_t at = 0; at < content.size(); at += bytes)
      drawValue(rng, type, content.data() + at, bytes);
    return allocate(std::move(content), false);
  }
  void map(const std::string &text, const std::vector<std::string> &fields) {
    emulator::TiledMapArguments t;
    const size_t buffer = std::stoull(fields[0]);
    if (buffer >= launch.memory.size() || entry.params[index].size != 128)
      throw std::runtime_error("argument '" + text +
                               "': no such buffer, or no tensor map");
    t.globalAddress = launch.memory[buffer].address;
    t.dataType = unsigned(std::stoul(fields[1]));
    t.globalDim = numbers<uint64_t>(fields[2]);
    t.globalStrides = numbers<uint64_t>(fields[3]);
    t.boxDim = numbers<uint32_t>(fields[4]);
    t.rank = unsigned(t.globalDim.size());
    t.elementStrides.assign(t.rank, 1);
    t.swizzle = unsigned(std::stoul(fields[5]));
    const std::string error = emulator::encodeTiledMap(
        t, launch.parameters.data() + entry.params[index++].offset);
    if (!error.empty())
      throw std::runtime_error("argument '" + text + "': " + error);
  }

  Launch &launch;
  const emulator::EntryInfo &entry;
  std::mt19937_64 rng;
  std::unique_ptr<emulator::Device> device;
  size_t index = 0;
};

} // namespace

Launch mutate::describeLaunch(const std::string &ptx, const LaunchText &text,
                              uint64_t seed) {
  auto module = emulator::Module::parse(ptx);
  if (!module)
    throw std::runtime_error(module.error());
  const auto &entries = (*module)->entries();
  const emulator::EntryInfo *entry = text.entry.empty() && entries.size() == 1
                                         ? &entries[0]
                                         : (*module)->entry(text.entry);
  if (!entry)
    throw std::runtime_error("--entry must name a kernel of the file");
  Launch launch;
  launch.device = (*module)->target();
  launch.ptx = ptx;
  launch.entry = entry->name;
  launch.grid = dimensions(text.grid);
  launch.block = dimensions(text.block);
  launch.cluster = dimensions(text.cluster);
  launch.sharedBytes = text.sharedBytes;
  Builder builder(launch, *entry, seed);
  for (const std::string &argument : text.arguments)
    builder.add(argument);
  builder.finish();
  return launch;
}
