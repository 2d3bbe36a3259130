// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Plot.h"

#include "support/Report.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace gemm::bench {

using namespace tools;

namespace {

constexpr double width = 1000, left = 330, right = 30;
constexpr double rooflineTop = 60, rooflineHeight = 420;
constexpr double lineHeight = 15;
// Colours that people with any colour vision tell apart (Okabe and Ito).
constexpr const char *colours[] = {"#0072b2", "#d55e00", "#009e73",
                                   "#cc79a7", "#e69f00", "#56b4e9"};
constexpr const char *rivalColour = "#555555";

std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      // Control characters are not allowed in XML.
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

std::string text(double x, double y, const std::string &what,
                 const char *anchor = "start", const char *style = "") {
  return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>\n",
                x, y, anchor, style, escaped(what).c_str());
}

std::string segment(double x0, double y0, double x1, double y1,
                    const char *colour, double thickness = 1) {
  return format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" "
                "stroke=\"%s\" stroke-width=\"%.1f\"/>\n",
                x0, y0, x1, y1, colour, thickness);
}

std::string dot(double x, double y, const char *colour, bool filled,
                const std::string &title) {
  return format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\" "
                "stroke=\"%s\" fill-opacity=\"0.7\"><title>%s</title>"
                "</circle>\n",
                x, y, filled ? colour : "none", colour, escaped(title).c_str());
}

// A logarithmic axis from `low` to `high` over pixels.
struct Axis {
  double low, high, from, to;
  double at(double value) const {
    double share = std::log(value / low) / std::log(high / low);
    return from + share * (to - from);
  }
};

struct Point {
  double intensity, rate;
  std::string title;
  const char *colour;
  bool ours;
};

class Plot {
public:
  Plot(const std::vector<Row> &all, PowerState state) : state(state) {
    for (const Row &row : all)
      if (hasTime(row))
        rows.push_back(&row);
    for (const Row *row : rows)
      for (const Timed &timed : row->ours)
        colourOf(timed.label);
  }

  std::string document() {
    double ratioTop = rooflineTop + rooflineHeight + 90;
    std::string body = legend();
    if (rows.empty())
      body += text(left, rooflineTop + 40, "no measurement");
    else
      body += roofline() + ratios(ratioTop);
    double height = rows.empty() ? rooflineTop + 80 : bottom + 20;
    std::string title = rows.empty() ? "gemm-bench"
                                     : "gemm-bench on " + rows[0]->device +
                                           ", driver " + rows[0]->driver +
                                           ", " + powerStateName(state) + ", " +
                                           rows[0]->commit;
    return format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
                  "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
                  "font-family=\"sans-serif\" font-size=\"11\">\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                  width, height, width, height) +
           text(20, 22, title, "start", " font-size=\"14\"") + body +
           "</svg>\n";
  }

private:
  bool hasTime(const Row &row) const {
    return row.best(state) >= 0 ||
           std::any_of(
               row.ours.begin(), row.ours.end(),
               [&](const Timed &timed) { return !timed.times(state).empty(); });
  }

  const char *colourOf(const std::string &label) {
    auto [at, isNew] = labels.try_emplace(label, labels.size());
    if (isNew)
      order.push_back(label);
    return colours[at->second % std::size(colours)];
  }

  std::string legend() {
    double x = left;
    std::string result;
    for (const std::string &label : order) {
      result += dot(x, 40, colourOf(label), true, label);
      result += text(x + 8, 44, label);
      x += 40 + 7 * static_cast<double>(label.size());
    }
    return result + dot(x, 40, rivalColour, false, "cuBLASLt") +
           text(x + 8, 44, "cuBLASLt, best candidate");
  }

  std::string roofline() {
    std::vector<Point> points;
    for (const Row *row : rows) {
      std::string name = row->problem.shape() + " " + row->problem.kind();
      auto add = [&](const std::vector<double> &seconds,
                     const std::string &label, const char *colour, bool ours) {
        if (seconds.empty() || row->bytes == 0)
          return;
        double rate = row->operations / spreadOf(seconds).median;
        points.push_back(
            {row->operations / row->bytes, rate,
             name + ", " + label + ": " + format("%.1f TFLOP/s", rate / 1e12),
             colour, ours});
      };
      int best = row->best(state);
      if (best >= 0)
        add(row->theirs[static_cast<size_t>(best)].times(state), "cuBLASLt",
            rivalColour, false);
      for (const Timed &timed : row->ours)
        if (!timed.wrong)
          add(timed.times(state), timed.label, colourOf(timed.label), true);
    }
    std::map<std::string, Limits> limits;
    for (const Row *row : rows)
      if (row->rooflineSeconds(state) > 0)
        limits[row->limits.instruction] = row->limits;
    double lowX = 1e300, highX = 0, lowY = 1e300, highY = 0;
    for (const Point &point : points) {
      lowX = std::min(lowX, point.intensity);
      highX = std::max(highX, point.intensity);
      lowY = std::min(lowY, point.rate);
      highY = std::max(highY, point.rate);
    }
    auto index = static_cast<size_t>(state);
    for (const auto &[name, limit] : limits)
      highY = std::max(highY, limit.operationsPerSecond[index]);
    Axis x = {lowX / 2, highX * 2, left, width - right};
    Axis y = {lowY / 2, highY * 2, rooflineTop + rooflineHeight, rooflineTop};

    std::string result;
    for (double tick : decades(x.low, x.high)) {
      result += segment(x.at(tick), y.from, x.at(tick), y.to, "#e0e0e0");
      result += text(x.at(tick), y.from + 16, format("%g", tick), "middle");
    }
    for (double tick : decades(y.low, y.high)) {
      result += segment(x.from, y.at(tick), x.to, y.at(tick), "#e0e0e0");
      result +=
          text(x.from - 6, y.at(tick) + 4, format("%g", tick / 1e12), "end");
    }
    result += text((x.from + x.to) / 2, y.from + 36,
                   "operations per byte of operands", "middle");
    result += text(x.from - 6, y.to - 8, "TFLOP/s", "end");
    for (const auto &[name, limit] : limits) {
      double rate = limit.operationsPerSecond[index];
      double ridge = rate / limit.bytesPerSecond;
      auto clipped = [&](double intensity) {
        return std::clamp(intensity, x.low, x.high);
      };
      double start = std::max(x.low, y.low / limit.bytesPerSecond);
      double corner = clipped(ridge);
      result += segment(
          x.at(start), y.at(start * limit.bytesPerSecond), x.at(corner),
          y.at(std::min(rate, corner * limit.bytesPerSecond)), "black", 1.5);
      if (ridge < x.high)
        result +=
            segment(x.at(corner), y.at(rate), x.to, y.at(rate), "black", 1.5);
      result += text(x.to, y.at(rate) - 6,
                     name + format(", measured: %.0f TFLOP/s, %.2f TB/s",
                                   rate / 1e12, limit.bytesPerSecond / 1e12),
                     "end");
    }
    for (const Point &point : points)
      result += dot(x.at(point.intensity), y.at(point.rate), point.colour,
                    point.ours, point.title);
    return result;
  }

  std::string ratios(double top) {
    double low = 0.8, high = 1.25;
    for (const Row *row : rows)
      for (size_t i = 0; i < row->ours.size(); ++i) {
        std::vector<double> values = row->ratios(i, state);
        if (values.empty())
          continue;
        Spread spread = spreadOf(values);
        low = std::min(low, spread.lowest / 1.05);
        high = std::max(high, spread.highest * 1.05);
      }
    Axis x = {low, high, left, width - right};
    double y = top + 20;
    bottom = y + lineHeight * static_cast<double>(rows.size()) + 10;
    std::string result =
        text(20, top, "our speed / cuBLASLt's, with the range of the rounds",
             "start", " font-size=\"13\"");
    // The more telling first: one that would touch a label before it is left
    // out.
    std::vector<double> labelled;
    for (double tick : {1.0, 0.1, 0.01, 10.0, 0.5, 2.0, 0.2, 5.0, 0.05, 0.02,
                        0.8, 1.2, 0.3,  3.0,  0.6, 1.5, 0.4, 0.9, 1.1,  0.7}) {
      auto near = [&](double other) {
        return std::abs(x.at(other) - x.at(tick)) < 26;
      };
      if (tick < low || tick > high ||
          std::any_of(labelled.begin(), labelled.end(), near))
        continue;
      labelled.push_back(tick);
      result += segment(x.at(tick), y, x.at(tick), bottom,
                        tick == 1 ? "black" : "#e0e0e0");
      result += text(x.at(tick), y - 4, format("%g", tick), "middle");
    }
    for (const Row *row : rows) {
      y += lineHeight;
      result += text(left - 10, y + 4,
                     row->problem.group + ": " + row->problem.shape() + " " +
                         row->problem.kind(),
                     "end");
      for (size_t i = 0; i < row->ours.size(); ++i) {
        std::vector<double> values = row->ratios(i, state);
        if (values.empty())
          continue;
        Spread spread = spreadOf(values);
        const char *colour = colourOf(row->ours[i].label);
        result +=
            segment(x.at(spread.lowest), y, x.at(spread.highest), y, colour);
        result += dot(x.at(spread.median), y, colour, true,
                      row->ours[i].label + format(": %.4f", spread.median));
      }
    }
    return result;
  }

  static std::vector<double> decades(double low, double high) {
    std::vector<double> ticks;
    for (double tick = std::pow(10, std::ceil(std::log10(low))); tick <= high;
         tick *= 10)
      ticks.push_back(tick);
    return ticks;
  }

  PowerState state;
  std::vector<const Row *> rows;
  std::map<std::string, size_t> labels;
  std::vector<std::string> order;
  double bottom = 0;
};

} // namespace

std::string plotRows(const std::vector<Row> &rows, PowerState state) {
  return Plot(rows, state).document();
}

} // namespace gemm::bench
