// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Record.h"

#include "support/Error.h"
#include "support/Report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>

namespace gemm::bench {

using namespace tools;
using Json = nlohmann::ordered_json;

namespace {

// Six digits are more than a clock gives.
double rounded(double value) {
  return std::strtod(format("%.6g", value).c_str(), nullptr);
}

Json roundedList(const std::vector<double> &values) {
  Json list = Json::array();
  for (double value : values)
    list.push_back(rounded(value));
  return list;
}

Json spreadJson(const Spread &spread) {
  return {rounded(spread.median), rounded(spread.lowest),
          rounded(spread.highest)};
}

Spread spreadFrom(const Json &json) {
  return {json.at(0).get<double>(), json.at(1).get<double>(),
          json.at(2).get<double>()};
}

Json timedJson(const Timed &timed) {
  Json json = {{"label", timed.label}};
  if (!timed.problem.empty())
    json["problem"] = timed.problem;
  if (timed.wrong)
    json["wrong"] = true;
  json["relative_error"] = rounded(timed.relativeError);
  if (timed.errorOverBound > 0)
    json["error_over_bound"] = rounded(timed.errorOverBound);
  if (!timed.entry.empty())
    json["entry"] = timed.entry;
  if (!timed.schedule.empty())
    json["schedule"] = timed.schedule;
  if (!timed.screening.empty())
    json["screening"] = roundedList(timed.screening);
  for (PowerState state : powerStates)
    if (!timed.times(state).empty())
      json[powerStateName(state)] = roundedList(timed.times(state));
  return json;
}

Timed timedFrom(const Json &json) {
  Timed timed;
  timed.label = json.at("label");
  timed.problem = json.value("problem", "");
  timed.wrong = json.value("wrong", false);
  timed.relativeError = json.value("relative_error", 0.0);
  timed.errorOverBound = json.value("error_over_bound", 0.0);
  timed.entry = json.value("entry", "");
  timed.schedule = json.value("schedule", "");
  if (json.contains("screening"))
    timed.screening = json.at("screening").get<std::vector<double>>();
  for (PowerState state : powerStates)
    if (json.contains(powerStateName(state)))
      timed.times(state) =
          json.at(powerStateName(state)).get<std::vector<double>>();
  return timed;
}

Json clocksJson(const ClockSummary &clocks) {
  return {{"readings", clocks.readings},
          {"sm_mhz", spreadJson(clocks.smMegahertz)},
          {"watts", spreadJson(clocks.watts)},
          {"celsius", clocks.celsius},
          {"reasons", clocks.reasons}};
}

ClockSummary clocksFrom(const Json &json) {
  ClockSummary clocks;
  clocks.readings = json.at("readings");
  clocks.smMegahertz = spreadFrom(json.at("sm_mhz"));
  clocks.watts = spreadFrom(json.at("watts"));
  clocks.celsius = json.at("celsius");
  clocks.reasons = json.at("reasons").get<std::vector<std::string>>();
  return clocks;
}

std::string dump(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Row rowFrom(const Json &json) {
  Row row;
  const Json &problem = json.at("problem");
  row.problem.group = json.at("group");
  row.problem.m = problem.at("m");
  row.problem.n = problem.at("n");
  row.problem.k = problem.at("k");
  row.problem.batch = problem.at("batch");
  row.problem.layout = problem.at("layout");
  row.problem.pitch = problem.at("pitch");
  parseTypes(problem.at("types").get<std::string>(), row.problem.types);
  row.failure = json.value("failure", "");
  for (const Json &item : json.at("ours"))
    row.ours.push_back(timedFrom(item));
  for (const Json &item : json.at("theirs"))
    row.theirs.push_back(timedFrom(item));
  row.library = json.value("library", "");
  row.libraryProblem = json.value("library_problem", "");
  row.operations = json.at("operations");
  row.bytes = json.at("bytes");
  const Json &limits = json.at("limits");
  row.limits.bytesPerSecond = limits.at("bytes_per_second");
  row.limits.instruction = limits.at("instruction");
  for (PowerState state : powerStates) {
    auto index = static_cast<size_t>(state);
    row.limits.operationsPerSecond[index] =
        limits.at("operations_per_second").at(powerStateName(state));
    if (json.at("clocks").contains(powerStateName(state)))
      row.clocks[index] =
          clocksFrom(json.at("clocks").at(powerStateName(state)));
  }
  row.hot = json.at("hot");
  row.sets = json.at("sets");
  row.footprint = json.at("footprint");
  row.wallSeconds = json.at("wall_seconds");
  row.run = json.at("run");
  row.device = json.at("device");
  row.driver = json.at("driver");
  row.commit = json.at("commit");
  row.date = json.at("date");
  return row;
}

} // namespace

const char *powerStateName(PowerState state) {
  return state == PowerState::Sustained ? "sustained" : "rested";
}

int Row::best(PowerState state) const {
  int result = -1;
  double fastest = 0;
  for (size_t i = 0; i < theirs.size(); ++i) {
    if (theirs[i].wrong || theirs[i].times(state).empty())
      continue;
    double median = spreadOf(theirs[i].times(state)).median;
    if (result < 0 || median < fastest) {
      result = static_cast<int>(i);
      fastest = median;
    }
  }
  return result;
}

std::vector<double> Row::ratios(size_t index, PowerState state) const {
  std::vector<double> result;
  int other = best(state);
  if (other < 0 || ours[index].wrong)
    return result;
  const std::vector<double> &mine = ours[index].times(state);
  const std::vector<double> &their =
      theirs[static_cast<size_t>(other)].times(state);
  for (size_t i = 0; i < std::min(mine.size(), their.size()); ++i)
    result.push_back(their[i] / mine[i]);
  return result;
}

double Row::rooflineSeconds(PowerState state) const {
  double rate = limits.operationsPerSecond[static_cast<size_t>(state)];
  if (rate == 0 || limits.bytesPerSecond == 0)
    return 0;
  return std::max(operations / rate, bytes / limits.bytesPerSecond);
}

bool Row::failed() const {
  if (!failure.empty() || !libraryProblem.empty())
    return true;
  if (best(PowerState::Sustained) < 0 && best(PowerState::Rested) < 0)
    return true;
  return std::any_of(ours.begin(), ours.end(),
                     [](const Timed &timed) { return !timed.problem.empty(); });
}

std::string rowToJson(const Row &row) {
  const Case &problem = row.problem;
  Json json = {{"kind", "row"},
               {"run", row.run},
               {"group", problem.group},
               {"problem",
                {{"m", problem.m},
                 {"n", problem.n},
                 {"k", problem.k},
                 {"batch", problem.batch},
                 {"types", problem.typeList()},
                 {"layout", problem.layout},
                 {"pitch", problem.pitch}}}};
  if (!row.failure.empty())
    json["failure"] = row.failure;
  json["ours"] = Json::array();
  for (const Timed &timed : row.ours)
    json["ours"].push_back(timedJson(timed));
  json["theirs"] = Json::array();
  for (const Timed &timed : row.theirs)
    json["theirs"].push_back(timedJson(timed));
  if (!row.library.empty())
    json["library"] = row.library;
  if (!row.libraryProblem.empty())
    json["library_problem"] = row.libraryProblem;
  json["operations"] = row.operations;
  json["bytes"] = row.bytes;
  json["limits"] = {{"instruction", row.limits.instruction},
                    {"operations_per_second", Json::object()},
                    {"bytes_per_second", rounded(row.limits.bytesPerSecond)}};
  json["clocks"] = Json::object();
  for (PowerState state : powerStates) {
    auto index = static_cast<size_t>(state);
    json["limits"]["operations_per_second"][powerStateName(state)] =
        rounded(row.limits.operationsPerSecond[index]);
    if (row.clocks[index].readings > 0)
      json["clocks"][powerStateName(state)] = clocksJson(row.clocks[index]);
  }
  json["hot"] = row.hot;
  json["sets"] = row.sets;
  json["footprint"] = row.footprint;
  json["wall_seconds"] = rounded(row.wallSeconds);
  json["device"] = row.device;
  json["driver"] = row.driver;
  json["commit"] = row.commit;
  json["date"] = row.date;
  return dump(json);
}

std::string runToJson(const RunInfo &run) {
  return dump({{"kind", "run"},
               {"id", run.id},
               {"device", run.device},
               {"architecture", run.architecture},
               {"multiprocessors", run.multiprocessors},
               {"driver", run.driver},
               {"library", run.library},
               {"power_limit_watts", run.powerLimit},
               {"highest_sm_mhz", run.highestSmClock},
               {"commit", run.commit},
               {"date", run.date},
               {"notes", run.notes}});
}

Row rowFromJson(const std::string &line) {
  try {
    return rowFrom(Json::parse(line));
  } catch (const Json::exception &error) {
    throw ToolError(error.what());
  }
}

std::vector<Row> readRows(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw ToolError("cannot read " + file);
  std::vector<Row> rows;
  std::map<std::string, size_t> known;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    bool complete = !stream.eof();
    if (line.empty())
      continue;
    Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded() && !complete)
      break;
    std::string where = file + ":" + std::to_string(number);
    if (!json.is_object() || !json.contains("kind"))
      throw ToolError(where + ": not a line of gemm-bench");
    if (json["kind"] != "row")
      continue;
    try {
      Row row = rowFrom(json);
      auto [at, isNew] = known.try_emplace(rowKey(row, true), rows.size());
      if (isNew)
        rows.push_back(std::move(row));
      else
        rows[at->second] = std::move(row);
    } catch (const Json::exception &error) {
      throw ToolError(where + ": " + error.what());
    }
  }
  return rows;
}

std::string rowKey(const Row &row, bool where) {
  std::string key =
      row.problem.group + " | " + row.problem.key() + (row.hot ? " hot" : "");
  for (const Timed &timed : row.ours)
    key += " | " + timed.label;
  if (where)
    key += " | " + row.device + " | " + row.driver + " | " + row.commit;
  return key;
}

} // namespace gemm::bench
