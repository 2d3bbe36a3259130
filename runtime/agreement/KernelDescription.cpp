// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "KernelDescription.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace gemm::agreement {

using emulator::FloatFormat;
using Json = nlohmann::json;

namespace {

struct TypeName {
  const char *name;
  bool isFloat;
  FloatFormat format;
  unsigned bits, mapType;
};

constexpr TypeName typeNames[] = {
    {"f16", true, FloatFormat::F16, 16, 6},
    {"bf16", true, FloatFormat::BF16, 16, 9},
    {"f32", true, FloatFormat::F32, 32, 7},
    {"tf32", true, FloatFormat::F32, 32, 11},
    {"f64", true, FloatFormat::F64, 64, 8},
    {"e4m3", true, FloatFormat::E4M3, 8, 0},
    {"e5m2", true, FloatFormat::E5M2, 8, 0},
    {"i8", false, FloatFormat::F32, 8, 0},
    {"i16", false, FloatFormat::F32, 16, 1},
    {"i32", false, FloatFormat::F32, 32, 3},
    {"i64", false, FloatFormat::F32, 64, 5},
};

BufferType bufferType(const std::string &name) {
  for (const TypeName &row : typeNames)
    if (name == row.name) {
      BufferType type;
      type.name = name;
      if (row.isFloat)
        type.format.floating = row.format;
      type.format.bits = row.bits;
      type.mapType = row.mapType;
      return type;
    }
  throw std::invalid_argument("unknown element type '" + name + "'");
}

std::string readFile(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::invalid_argument("cannot read '" + path.string() + "'");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Dim3 dimensions(const Json &kernel, const char *key, Dim3 otherwise) {
  if (!kernel.contains(key))
    return otherwise;
  const auto list = kernel.at(key).get<std::vector<uint32_t>>();
  if (list.empty() || list.size() > 3)
    throw std::invalid_argument(std::string(key) + " needs 1 to 3 numbers");
  Dim3 result;
  result.x = list[0];
  result.y = list.size() > 1 ? list[1] : 1;
  result.z = list.size() > 2 ? list[2] : 1;
  return result;
}

class Reader {
public:
  Reader(const Json &kernel, std::filesystem::path folder)
      : kernel(kernel), folder(std::move(folder)) {}

  KernelDescription read() {
    result.entry = kernel.at("entry");
    result.name = kernel.value("name", result.entry);
    result.ptx = readFile(folder / kernel.at("ptx").get<std::string>());
    result.shape.grid = dimensions(kernel, "grid", {});
    result.shape.block = dimensions(kernel, "block", {});
    result.shape.cluster = dimensions(kernel, "cluster", {0, 0, 0});
    result.shape.dynamicShared = kernel.value("shared", size_t(0));
    for (const Json &argument : kernel.at("arguments"))
      addArgument(argument);
    return std::move(result);
  }

private:
  void addArgument(const Json &json) {
    KernelArgument argument;
    if (json.contains("buffer")) {
      argument.buffer = addBuffer(json);
      argument.kind = KernelArgument::Address;
      if (json.value("hidden", false))
        return;
    } else if (json.contains("address")) {
      argument.kind = KernelArgument::Address;
      argument.buffer = find(json.at("address"));
      argument.offset = json.value("offset", uint64_t(0));
    } else if (json.contains("map")) {
      argument.kind = KernelArgument::Map;
      argument.buffer = find(json.at("map"));
      argument.map = tensorMap(json);
    } else {
      argument.scalar = scalar(json);
    }
    result.arguments.push_back(std::move(argument));
  }

  size_t addBuffer(const Json &json) {
    KernelBuffer buffer;
    buffer.name = json.at("buffer");
    buffer.type = bufferType(json.at("type"));
    buffer.count = json.at("count");
    buffer.values = json.value("values", "zero");
    buffer.allowedUlps = json.value("ulps", uint64_t(0));
    const char *const known[] = {"normal", "integers", "bits", "zero", "index"};
    if (std::find(std::begin(known), std::end(known), buffer.values) ==
        std::end(known))
      throw std::invalid_argument("unknown values '" + buffer.values + "'");
    if (json.contains("file")) {
      const std::string data =
          readFile(folder / json.at("file").get<std::string>());
      if (data.size() != buffer.count * buffer.type.format.bits / 8)
        throw std::invalid_argument(
            "buffer '" + buffer.name + "' has " + std::to_string(buffer.count) +
            " elements, its file " + std::to_string(data.size()) + " bytes");
      buffer.bytes.assign(data.begin(), data.end());
    }
    if (json.contains("expected")) {
      const std::string data =
          readFile(folder / json.at("expected").get<std::string>());
      if (data.size() != buffer.count * sizeof(double))
        throw std::invalid_argument("buffer '" + buffer.name +
                                    "': the expected values are not one f64 "
                                    "for each element");
      buffer.expected.resize(buffer.count);
      std::memcpy(buffer.expected.data(), data.data(), data.size());
      buffer.tolerance = json.at("tolerance");
    }
    result.buffers.push_back(std::move(buffer));
    return result.buffers.size() - 1;
  }

  size_t find(const std::string &name) const {
    for (size_t i = 0; i < result.buffers.size(); ++i)
      if (result.buffers[i].name == name)
        return i;
    throw std::invalid_argument("there is no buffer '" + name + "' before it");
  }

  static TiledMapArguments tensorMap(const Json &json) {
    TiledMapArguments map;
    map.dataType = bufferType(json.at("type")).mapType;
    map.globalDim = json.at("extents").get<std::vector<uint64_t>>();
    map.globalStrides = json.at("strides").get<std::vector<uint64_t>>();
    map.boxDim = json.at("box").get<std::vector<uint32_t>>();
    map.rank = unsigned(map.globalDim.size());
    if (map.boxDim.size() != map.rank ||
        map.globalStrides.size() + 1 != map.rank)
      throw std::invalid_argument("a map needs as many extents as box extents, "
                                  "and a stride less");
    map.elementStrides.assign(map.rank, 1);
    const unsigned span = json.value("swizzle", 0u);
    map.swizzle = span == 32 ? 1 : span == 64 ? 2 : span == 128 ? 3 : 0;
    return map;
  }

  static uint64_t scalar(const Json &json) {
    if (json.contains("i32"))
      return uint32_t(json.at("i32").get<int64_t>());
    if (json.contains("i64"))
      return uint64_t(json.at("i64").get<int64_t>());
    if (json.contains("f32"))
      return emulator::floatToBits(json.at("f32").get<float>());
    if (json.contains("f64"))
      return emulator::doubleToBits(json.at("f64").get<double>());
    throw std::invalid_argument("argument " + json.dump() +
                                " is none of buffer, "
                                "address, map, i32, i64, f32, f64");
  }

  const Json &kernel;
  std::filesystem::path folder;
  KernelDescription result;
};

} // namespace

std::vector<KernelDescription> readKernels(const std::string &path) {
  try {
    const Json document = Json::parse(readFile(path));
    std::vector<KernelDescription> result;
    for (const Json &kernel : document.at("kernels"))
      result.push_back(
          Reader(kernel, std::filesystem::path(path).parent_path()).read());
    return result;
  } catch (const std::exception &error) {
    throw std::invalid_argument(path + ": " + error.what());
  }
}

} // namespace gemm::agreement
