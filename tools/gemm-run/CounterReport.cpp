// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CounterReport.h"

#include <algorithm>
#include <string>
#include <vector>

namespace gemm::tools {
namespace {

using Row = std::vector<std::string>;
using Site = gemm_emulator_site;

constexpr size_t longestTable = 10, longestOpcode = 60;
constexpr double sectorBytes = 32;

std::string count(uint64_t value) {
  return formatCount(static_cast<int64_t>(value));
}

double ratio(uint64_t a, uint64_t b) {
  return b ? static_cast<double>(a) / static_cast<double>(b) : 0;
}

// Columns two spaces apart, numbers to the right, the last column to the left.
std::string tableText(const std::vector<Row> &rows) {
  std::vector<size_t> widths;
  for (const Row &row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row &row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i)
      text += std::string(widths[i] - row[i].size(), ' ') + row[i] + "  ";
    text += row.back() + "\n";
  }
  return text;
}

uint64_t conflicts(const Site &site) {
  return site.shared_wavefronts - site.shared_ideal_wavefronts;
}

std::string opcode(const Site &site) {
  std::string text = site.opcode;
  return text.size() > longestOpcode ? text.substr(0, longestOpcode) + "..."
                                     : text;
}

std::vector<Site> sitesWhere(const gemm_emulator_counters &counters,
                             bool (*wanted)(const Site &),
                             bool (*worse)(const Site &, const Site &)) {
  std::vector<Site> sites;
  std::copy_if(counters.sites, counters.sites + counters.num_sites,
               std::back_inserter(sites), wanted);
  std::stable_sort(sites.begin(), sites.end(), worse);
  return sites;
}

void addTable(Report &report, const char *label, std::vector<Row> rows,
              const std::vector<Site> &sites, Row (*rowOf)(const Site &)) {
  for (size_t i = 0; i < std::min(sites.size(), longestTable); ++i)
    rows.push_back(rowOf(sites[i]));
  std::string text = tableText(rows);
  if (sites.size() > longestTable)
    text += "and " + std::to_string(sites.size() - longestTable) +
            " more lines (--json has all)\n";
  report.line(label, text);
}

void describeClasses(Report &report, const gemm_emulator_counters &counters) {
  std::vector<Row> rows = {{"warps", "share", "lanes", "class"}};
  for (size_t i = 0; i < counters.num_classes; ++i) {
    const gemm_emulator_class &cls = counters.classes[i];
    rows.push_back({count(cls.warp_instructions),
                    format("%.1f %%", 100 * ratio(cls.warp_instructions,
                                                  counters.warp_instructions)),
                    count(cls.lane_instructions), cls.name});
  }
  rows.push_back({count(counters.warp_instructions), "100 %",
                  count(counters.lane_instructions), "all"});
  report.line("executed", tableText(rows));
}

void describeGlobal(Report &report, const gemm_emulator_counters &counters) {
  std::vector<Site> sites = sitesWhere(
      counters, [](const Site &site) { return site.global_requests > 0; },
      [](const Site &a, const Site &b) {
        return a.global_sectors > b.global_sectors;
      });
  uint64_t requests = 0;
  for (const Site &site : sites)
    requests += site.global_requests;
  report.line(
      "global",
      format(
          "%s read and %s written; %s sectors of 32 bytes in %s requests, "
          "%.1f a request",
          formatBytes(static_cast<double>(counters.global_bytes_read)).c_str(),
          formatBytes(static_cast<double>(counters.global_bytes_written))
              .c_str(),
          count(counters.global_sectors).c_str(), count(requests).c_str(),
          ratio(counters.global_sectors, requests)));
  if (!sites.empty())
    addTable(report, "",
             {{"requests", "sectors", "a request", "PTX line", "instruction"}},
             sites, [](const Site &site) {
               return Row{count(site.global_requests),
                          count(site.global_sectors),
                          format("%.1f", ratio(site.global_sectors,
                                               site.global_requests)),
                          std::to_string(site.line), opcode(site)};
             });
}

void describeShared(Report &report, const gemm_emulator_counters &counters) {
  std::vector<Site> sites = sitesWhere(
      counters, [](const Site &site) { return site.shared_requests > 0; },
      [](const Site &a, const Site &b) {
        return conflicts(a) != conflicts(b)
                   ? conflicts(a) > conflicts(b)
                   : a.shared_wavefronts > b.shared_wavefronts;
      });
  uint64_t wavefronts = 0, lost = 0;
  for (const Site &site : sites) {
    wavefronts += site.shared_wavefronts;
    lost += conflicts(site);
  }
  report.json()["counters"]["shared_wavefronts"] = wavefronts;
  report.json()["counters"]["bank_conflicts"] = lost;
  report.line("shared", count(wavefronts) + " wavefronts, " + count(lost) +
                            " of them bank conflicts");
  if (!sites.empty())
    addTable(report, "",
             {{"requests", "wavefronts", "ideal", "conflicts", "PTX line",
               "instruction"}},
             sites, [](const Site &site) {
               return Row{count(site.shared_requests),
                          count(site.shared_wavefronts),
                          count(site.shared_ideal_wavefronts),
                          count(conflicts(site)),
                          std::to_string(site.line),
                          opcode(site)};
             });
}

void addJson(Report &report, const gemm_emulator_counters &counters,
             double intensity) {
  auto &json = report.json()["counters"];
  json = {{"warp_instructions", counters.warp_instructions},
          {"lane_instructions", counters.lane_instructions},
          {"tensor_operations", counters.tensor_operations},
          {"float_operations", counters.float_operations},
          {"global_bytes_read", counters.global_bytes_read},
          {"global_bytes_written", counters.global_bytes_written},
          {"global_sectors", counters.global_sectors},
          {"arithmetic_intensity", intensity}};
  for (size_t i = 0; i < counters.num_classes; ++i) {
    const gemm_emulator_class &cls = counters.classes[i];
    json["classes"][cls.name] = {{"warp_instructions", cls.warp_instructions},
                                 {"lane_instructions", cls.lane_instructions}};
  }
  for (size_t i = 0; i < counters.num_sites; ++i) {
    const Site &site = counters.sites[i];
    nlohmann::ordered_json entry = {
        {"line", site.line},
        {"opcode", site.opcode},
        {"class", site.class_name},
        {"warp_instructions", site.warp_instructions},
        {"lane_instructions", site.lane_instructions}};
    if (site.shared_requests) {
      entry["shared_requests"] = site.shared_requests;
      entry["shared_wavefronts"] = site.shared_wavefronts;
      entry["shared_ideal_wavefronts"] = site.shared_ideal_wavefronts;
      entry["bank_conflicts"] = conflicts(site);
    }
    if (site.global_requests) {
      entry["global_requests"] = site.global_requests;
      entry["global_sectors"] = site.global_sectors;
    }
    json["sites"].push_back(std::move(entry));
  }
}

} // namespace

void describeCounters(Report &report, const Device &device) {
  gemm_emulator_report launch{};
  checkStatus(gemm_device_get_emulator_report(device.handle(), &launch));
  if (!launch.counters) {
    report.line("executed", "nothing: no kernel was launched");
    report.json()["counters"] = nullptr;
    return;
  }
  const gemm_emulator_counters &counters = *launch.counters;
  double bytes = sectorBytes * static_cast<double>(counters.global_sectors);
  uint64_t operations = counters.tensor_operations + counters.float_operations;
  double intensity = bytes > 0 ? static_cast<double>(operations) / bytes : 0;
  addJson(report, counters, intensity);
  describeClasses(report, counters);
  report.line("computed",
              count(counters.tensor_operations) + " tensor operations, " +
                  count(counters.float_operations) + " float operations, " +
                  format("%.1f a byte of sectors", intensity));
  describeGlobal(report, counters);
  describeShared(report, counters);
}

} // namespace gemm::tools
