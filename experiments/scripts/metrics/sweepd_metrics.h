// What a C++ program tells sweepd: one JSON object a line, see "Other programs" in schemas/sweep.md.
// C++17, no library. Without sweepd the lines go to standard output. One thread at a time.
//
//   sweepd::step(0).time("load", 0.5).time(1.25).metric("gflops", 12);   // written when it ends
//   sweepd::step(1).warmup(true).time(1.5);
//   sweepd::metrics().metric("joules", 2.5);                             // once, of the whole run
//   sweepd::fact("compiler", __VERSION__);
//   sweepd::param("size", "512");                    // as text; the second one by hand
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <unistd.h>

namespace sweepd {

inline void write_line(const std::string& line) {
  const char* named = std::getenv("SWEEPD_METRICS_FD");
  const std::string text = line + "\n";
  std::fflush(stdout);
  if (::write(named && *named ? std::atoi(named) : 1, text.data(), text.size()) < 0) std::perror("sweepd");
}

inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c < 0x20 ? ' ' : static_cast<char>(c);
  }
  return out + "\"";
}

inline std::string number(double value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

// Collects the figures of a step, or of the run, and writes them when it is destroyed.
class Report {
 public:
  explicit Report(std::string head, std::string tail) : head_(std::move(head)), tail_(std::move(tail)) {}
  Report(const Report&) = delete;
  ~Report() {
    std::string line = head_;
    for (const auto& [metric, phases] : figures_) line += (line.back() == '{' ? "" : ",") + quoted(metric) + ":{" + phases + "}";
    write_line(line + tail_);
  }
  Report& time(double ms) { return metric("time", "step", ms); }
  Report& time(const std::string& phase, double ms) { return metric("time", phase, ms); }
  Report& metric(const std::string& name, double value) { return metric(name, "step", value); }
  Report& metric(const std::string& name, const std::string& phase, double value) {
    std::string& phases = figures_[name];
    phases += (phases.empty() ? "" : ",") + quoted(phase) + ":" + number(value);
    return *this;
  }
  Report& warmup(bool is) { head_ += is ? ",\"warmup\":true" : ",\"warmup\":false"; return *this; }

 private:
  std::string head_, tail_;
  std::map<std::string, std::string> figures_;
};

inline Report step(long number) { return Report("{\"step\":" + std::to_string(number), "}"); }
inline Report metrics() { return Report("{\"metrics\":{", "}}"); }
inline void fact(const std::string& name, const std::string& text) { write_line("{\"fact\":" + quoted(name) + ",\"text\":" + quoted(text) + "}"); }
inline void skip(const std::string& reason) { write_line("{\"skipped\":" + quoted(reason) + "}"); std::exit(77); }
inline std::string param(const std::string& name, const std::string& otherwise) {
  const char* value = std::getenv(("SWEEPD_PARAM_" + name).c_str());
  return value ? value : otherwise;
}

}  // namespace sweepd
