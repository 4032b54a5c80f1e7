// What a C++ program tells sweepd (schemas/sweep.md, "Other programs"). C++17, no library, one
// thread at a time. Without sweepd the lines go to standard output.
//   sweepd::step(0).warmup(true).time("load", 0.5).time(1.25).metric("gflops", 12);   // ms
//   sweepd::metrics().metric("joules", 2.5);                             // once, of the whole run
//   sweepd::fact("compiler", __VERSION__);
//   sweepd::param("size", "512");                    // as text; the second one by hand
#pragma once
#include <unistd.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
namespace sweepd {
using Text = std::string;

inline void write_line(const Text& line) {
  const char* named = std::getenv("SWEEPD_METRICS_FD");
  std::fflush(stdout);
  if (::write(named && *named ? std::atoi(named) : 1, (line + "\n").data(), line.size() + 1) < 0)
    std::perror("sweepd");
}
inline Text quoted(const Text& text) {
  Text out = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c < 0x20 ? ' ' : static_cast<char>(c);
  }
  return out + "\"";
}
inline Text number(double value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

// Collects the figures of a step, or of the run, and writes them when it is destroyed.
class Report {
 public:
  Report(const Text& head, const Text& tail) : head_(head), tail_(tail) {}
  Report(const Report&) = delete;
  ~Report() {
    for (const auto& [metric, phases] : figures_)
      head_ += (head_.back() == '{' ? "" : ",") + quoted(metric) + ":{" + phases + "}";
    write_line(head_ + tail_);
  }
  Report& time(double ms) { return metric("time", "step", ms); }
  Report& time(const Text& phase, double ms) { return metric("time", phase, ms); }
  Report& metric(const Text& name, double value) { return metric(name, "step", value); }
  Report& metric(const Text& name, const Text& phase, double value) {
    Text& phases = figures_[name];
    phases += (phases.empty() ? "" : ",") + quoted(phase) + ":" + number(value);
    return *this;
  }
  Report& warmup(bool is) { return head_ += is ? ",\"warmup\":true" : ",\"warmup\":false", *this; }

 private:
  Text head_, tail_;
  std::map<Text, Text> figures_;
};

inline Report step(long index) {
  return {"{\"step\":" + std::to_string(index), "}"};
}
inline Report metrics() {
  return {"{\"metrics\":{", "}}"};
}
inline void fact(const Text& name, const Text& text) {
  write_line("{\"fact\":" + quoted(name) + ",\"text\":" + quoted(text) + "}");
}
inline void skip(const Text& reason) {
  write_line("{\"skipped\":" + quoted(reason) + "}"), std::exit(77);
}
inline Text param(const Text& name, const Text& otherwise) {
  const char* value = std::getenv(("SWEEPD_PARAM_" + name).c_str());
  return value ? value : otherwise;
}
}  // namespace sweepd
