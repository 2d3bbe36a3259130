// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports: one line of cause, PTX line, CTA, warp and lane.
#include "Machine.h"

#include <cstdio>

namespace gemm::emulator {

const char *toString(ReportKind kind) {
  switch (kind) {
  case ReportKind::OutOfBounds:
    return "out of bounds";
  case ReportKind::Misaligned:
    return "misaligned";
  case ReportKind::Undefined:
    return "undefined data";
  case ReportKind::Race:
    return "race";
  case ReportKind::ProxyRace:
    return "proxy race";
  case ReportKind::AsyncMisuse:
    return "asynchronous operation";
  case ReportKind::Barrier:
    return "barrier";
  case ReportKind::Deadlock:
    return "deadlock";
  case ReportKind::Divergence:
    return "divergence";
  case ReportKind::Trap:
    return "trap";
  case ReportKind::Limit:
    return "limit";
  case ReportKind::Unsupported:
    return "unsupported";
  case ReportKind::InvalidArgument:
    return "invalid argument";
  }
  return "?";
}

std::string LaunchResult::summary() const {
  std::string s = refusal.empty() ? "" : "refused: " + refusal + "\n";
  for (const Report &r : reports) {
    s += r.severity == Severity::Error ? "error: " : "note: ";
    s += r.message;
    if (r.count > 1)
      s += " [" + std::to_string(r.count) + " times]";
    s += '\n';
  }
  return s;
}

std::string Machine::location(const Warp *w, const Inst *inst) const {
  if (!inst)
    return "";
  std::string s = "line " + std::to_string(inst->line);
  if (w && w->frame) {
    const FunctionCode &f = *w->frame->function;
    size_t pc = size_t(inst - f.code.data());
    if (pc < f.opcodes.size())
      s += " '" + f.opcodes[pc].substr(0, 80) + "'";
    for (const RawInst &raw : f.syntax->insts)
      if (raw.line == inst->line && raw.locFile) {
        auto file = module.syntax.files.find(raw.locFile);
        s += " (" +
             (file == module.syntax.files.end()
                  ? "file " + std::to_string(raw.locFile)
                  : file->second) +
             ":" + std::to_string(raw.locLine) + ")";
        break;
      }
  }
  return s;
}

std::string Machine::where(const Warp &w, int lane) const {
  char text[160];
  const Cta &c = *w.cta;
  int n = std::snprintf(text, sizeof text, "CTA (%u,%u,%u) warp %u", c.x, c.y,
                        c.z, w.index);
  if (lane >= 0) {
    unsigned t = w.index * kLanes + unsigned(lane);
    std::snprintf(text + n, sizeof text - size_t(n),
                  " lane %d (thread %u,%u,%u)", lane, t % block.x,
                  t / block.x % block.y, t / block.x / block.y);
  }
  return text;
}

void Machine::report(Severity severity, ReportKind kind, const Warp *w,
                     const Inst *inst, int lane, const std::string &cause) {
  if (strict)
    severity = Severity::Error;
  unsigned line = inst ? inst->line : 0;
  // One report per site and kind; later ones are counted.
  std::string key =
      std::to_string(line) + (severity == Severity::Note ? "n" : "e");
  auto [it, isNew] = reportIndex.emplace(std::make_pair(int(kind), key),
                                         result.reports.size());
  if (!isNew) {
    ++result.reports[it->second].count;
    return;
  }
  Report r;
  r.severity = severity;
  r.kind = kind;
  r.line = line;
  r.message = std::string(toString(kind)) + ": " + cause;
  if (inst)
    r.message += "; " + location(w, inst);
  if (w)
    r.message += "; " + where(*w, lane);
  if (result.reports.size() >= options.maxReports &&
      severity == Severity::Error) {
    result.reports.push_back(std::move(r));
    Report limit;
    limit.kind = ReportKind::Limit;
    limit.message = "limit: stopped after " +
                    std::to_string(options.maxReports) + " reports";
    throw Fault{limit};
  }
  result.reports.push_back(std::move(r));
}

void Machine::fault(ReportKind kind, const Warp &w, const Inst &inst, int lane,
                    const std::string &cause) {
  Report r;
  r.kind = kind;
  r.line = inst.line;
  r.message = std::string(toString(kind)) + ": " + cause + "; " +
              location(&w, &inst) + "; " + where(w, lane);
  throw Fault{r};
}

} // namespace gemm::emulator
