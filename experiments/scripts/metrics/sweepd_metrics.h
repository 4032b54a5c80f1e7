// What a C++ program tells sweepd (schemas/sweep.md, "Other programs"). C++17, no library, one
// thread at a time. Without sweepd the lines go to standard output.
//   const long size = sweepd::param("size", 512);        // as the type of the second one, by hand
//   for (long n = 0; n < sweepd::steps(); ++n) {         // warm-up and measured ones
//     sweepd::step(n).time("load", 0.5).time(1.25).metric("gflops", 12);              // ms
//     // or, where it does not measure itself:
//     { sweepd::Phase phase("load"); load(); }           // with CUDA: events on a stream
//     sweepd::end_step();                                // writes the times of phases and step
//   }
//   sweepd::metrics().metric("joules", 2.5);             // once, of the whole run
//   sweepd::memory("step", 1 << 20);                     // bytes
//   sweepd::fact("compiler", __VERSION__);
#pragma once
#include <unistd.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <type_traits>
#include <vector>
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
inline void out_of_memory(const Text& phase, unsigned long long requested_bytes) {
  write_line("{\"oom\":" + quoted(phase) + ",\"requested\":" + std::to_string(requested_bytes) +
             "}");
  std::exit(1);
}
inline void memory(const Text& phase, unsigned long long peak_allocated_bytes) {
  write_line("{\"memory\":" + quoted(phase) +
             ",\"peak_allocated\":" + std::to_string(peak_allocated_bytes) + "}");
}
inline Text param(const Text& name, const Text& otherwise) {
  const char* value = std::getenv(("SWEEPD_PARAM_" + name).c_str());
  return value ? value : otherwise;
}
inline Text param(const Text& name, const char* otherwise) {
  return param(name, Text(otherwise));
}
// Of a number or bool.
template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
T param(const Text& name, T otherwise) {
  const Text text = param(name, Text());
  if (text.empty()) return otherwise;
  if constexpr (std::is_same_v<T, bool>)
    return text == "true" || text == "1";
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(std::strtod(text.c_str(), nullptr));
  else
    return static_cast<T>(std::strtoll(text.c_str(), nullptr, 10));
}
inline long of_environment(const char* name, long otherwise) {
  const char* value = std::getenv(name);
  return value && *value ? std::atol(value) : otherwise;
}
inline long steps(long warmup = 2, long measured = 10) {
  return of_environment("SWEEPD_WARMUP", warmup) + of_environment("SWEEPD_STEPS", measured);
}

// A moment: of the host, or, in a file that includes cuda_runtime.h before, of the default stream.
#ifdef CUDART_VERSION
struct Moment {
  cudaEvent_t event{};
  static Moment now() {
    Moment moment;
    cudaEventCreate(&moment.event), cudaEventRecord(moment.event);
    return moment;
  }
  double ms_since(const Moment& begin) const {
    float ms = 0;
    cudaEventSynchronize(event), cudaEventElapsedTime(&ms, begin.event, event);
    return ms;
  }
  void drop() { cudaEventDestroy(event); }
};
#else
struct Moment {
  std::chrono::steady_clock::time_point at;
  static Moment now() { return {std::chrono::steady_clock::now()}; }
  double ms_since(const Moment& begin) const {
    return std::chrono::duration<double, std::milli>(at - begin.at).count();
  }
  void drop() {}
};
#endif

// What `Phase` and `end_step` share: the moments of the step that runs. They are read at its end.
struct RunningStep {
  struct Span {
    Text phase;
    Moment begin, end;
  };
  long number = 0;
  bool began = false;
  Moment begin{};
  std::vector<Span> spans;
};
inline RunningStep& running_step() {
  static RunningStep running;
  return running;
}
// A part of a step, from here to the end of the block. Those of one name are added up.
class Phase {
 public:
  explicit Phase(const Text& name) : name_(name) {
    RunningStep& running = running_step();
    if (!running.began) running.begin = Moment::now();
    running.began = true;
    begin_ = Moment::now();
  }
  Phase(const Phase&) = delete;
  ~Phase() { running_step().spans.push_back({name_, begin_, Moment::now()}); }

 private:
  Text name_;
  Moment begin_{};
};
// Ends a step, and begins the next. The first begins with its first phase, or with a call of this.
inline void end_step() {
  RunningStep& running = running_step();
  if (running.began) {
    Moment now = Moment::now();
    std::map<Text, double> times{{"step", now.ms_since(running.begin)}};
    for (RunningStep::Span& span : running.spans) {
      times[span.phase] += span.end.ms_since(span.begin);
      span.begin.drop(), span.end.drop();
    }
    const long number = running.number++;
    Report line("{\"step\":" + std::to_string(number), "}");
    for (const auto& [phase, ms] : times) line.time(phase, ms);
    running.begin.drop(), now.drop();
  }
  running.spans.clear();
  running.began = true;
  running.begin = Moment::now();
}
}  // namespace sweepd
