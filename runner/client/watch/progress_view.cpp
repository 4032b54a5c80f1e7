#include "runner/client/watch/progress_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runner/base/ids.h"
#include "runner/base/printable.h"
#include "runner/base/text.h"
#include "runner/client/render/places_view.h"
#include "runner/model/vocabulary/outcome.h"

namespace sweepd {

namespace {

constexpr std::string_view kGreen = "\x1b[32m", kRed = "\x1b[31m", kDim = "\x1b[2m",
                           kPlain = "\x1b[0m";

std::string in(std::string_view colour, std::string_view text, Colour wanted) {
  if (wanted == Colour::kNo || text.empty()) return std::string(text);
  return fmt::format("{}{}{}", colour, text, kPlain);
}

std::string repeat(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

// Shows whole seconds, because tenths would flicker with each redraw.
std::string clock_text(Duration d) {
  const std::int64_t s = d.ns / 1'000'000'000;
  return s < 60 ? fmt::format("{}s", s) : to_human(seconds(s));
}

constexpr std::size_t kLeastBar = 5, kLeastName = 4;

std::string problems_text(const ProgressView& view, Colour colour) {
  std::string out;
  for (const auto& [outcome, n] : view.problems) {
    out += ", " + in(kRed, fmt::format("{} {}", n, outcome), colour);
  }
  return out;
}

std::string bar_line(const ProgressView& view, const Screen& screen, Duration since) {
  const double share =
      view.total > 0 ? static_cast<double>(view.ended) / static_cast<double>(view.total) : 0;
  std::string figures = fmt::format("{}/{}  {:.0f}%", with_thousands(view.ended),
                                    with_thousands(view.total), std::floor(share * 100));
  std::string tail = problems_text(view, screen.colour);
  if (view.paused) tail += ", paused";
  if (view.left) {
    const Duration left{std::max<std::int64_t>(0, view.left->ns - since.ns)};
    tail += fmt::format(", about {} left", clock_text(left));
  }
  // The bar takes at most a third of the line. If the line is too long, first the bar is shortened
  // and then the name.
  const std::string name = printable(view.name);
  const std::size_t others = visible_width(figures) + visible_width(tail) + 2;
  const std::size_t left = screen.width > others ? screen.width - others : 0;
  const std::size_t named = display_width(name);
  const std::size_t cells =
      std::clamp<std::size_t>(left > named ? left - named : 0, kLeastBar,
                              std::clamp<std::size_t>(screen.width / 3, kLeastBar, 40));
  const auto full = static_cast<std::size_t>(share * static_cast<double>(cells));
  const std::string bar = in(kGreen, repeat("━", full), screen.colour) +
                          in(kDim, repeat("╌", cells - full), screen.colour);
  const std::size_t room = std::max(kLeastName, left > cells ? left - cells : 0);
  return fmt::format("{} {} {}{}", cut_to(name, room), bar, figures, tail);
}

std::string running_line(const RunningAttempt& run, const Screen& screen, Duration since) {
  std::string where = run.phase;
  if (run.step >= 0) where = fmt::format("step {}{}{}", run.step, where.empty() ? "" : " ", where);
  const Duration elapsed{run.elapsed.ns + since.ns};
  const std::string label = printable(run.label.empty() ? "(defaults)" : run.label);
  const std::string doing = fmt::format("{}, {}", name_of(run.pass), printable(where));
  const std::string clock = fmt::format("  {:>6}  ", clock_text(elapsed));
  // The label is cut first: its parameters are also in the file, but nothing else shows where the
  // attempt is.
  const std::size_t others = display_width(clock) + 2 + display_width(doing);
  const std::size_t left = screen.width > others ? screen.width - others : 0;
  return clock + cut_to(label, std::max(kLeastName, left)) + "  " + in(kDim, doing, screen.colour);
}

constexpr char kEscape = '\x1b';

// Returns a letter of UTF-8, or a whole colour sequence.
std::string_view next_piece(std::string_view text, std::size_t begin) {
  std::size_t end = begin + 1;
  if (text[begin] == kEscape) {
    end = std::min(text.find('m', begin), text.size() - 1) + 1;
  } else {
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) ++end;
  }
  return text.substr(begin, end - begin);
}

}  // namespace

ProgressView progress_view(const std::string& name, const rpc::Progress& progress) {
  ProgressView view;
  view.name = name;
  view.total = progress.counts.total;
  view.ended = progress.counts.ended;
  view.problems = progress.counts.problems();
  view.running = progress.running;
  view.waiting = waiting_lines(progress.given);
  // No time is shown once all attempts have ended: "0s" would be noise.
  if (view.ended < view.total) view.left = progress.left;
  view.paused = progress.paused && view.ended < view.total;
  return view;
}

std::size_t visible_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view next = next_piece(text, i);
    if (next[0] != kEscape) width += display_width(next);
    i += next.size();
  }
  return width;
}

std::string cut_to(std::string_view text, std::size_t width) {
  if (visible_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::string out;
  std::size_t used = 0;
  bool coloured = false;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view next = next_piece(text, i);
    i += next.size();
    if (next[0] == kEscape) {
      coloured = true;
    } else if (used + display_width(next) > width - 1) {
      break;
    } else {
      used += display_width(next);
    }
    out += next;
  }
  out += "…";
  return coloured ? out + std::string(kPlain) : out;
}

std::vector<std::string> live_lines(const ProgressView& view, const Screen& screen,
                                    Duration since) {
  std::vector<std::string> lines{bar_line(view, screen, since)};
  // One row stays free for the cursor, and one for the number of attempts not shown.
  const std::size_t room = std::min<std::size_t>(8, screen.height > 4 ? screen.height - 4 : 0);
  const std::size_t shown = std::min(room, view.running.size());
  for (std::size_t i = 0; i < shown; ++i) {
    lines.push_back(running_line(view.running[i], screen, since));
  }
  if (shown > 0 && shown < view.running.size()) {
    lines.push_back(fmt::format("  {} more running", view.running.size() - shown));
  }
  for (const std::string& line : view.waiting) lines.push_back("  " + printable(line));
  for (std::string& line : lines) line = cut_to(line, screen.width);
  return lines;
}

std::string plain_line(const ProgressView& view) {
  std::string line = fmt::format("{}: {}/{} ended{}", printable(view.name), view.ended, view.total,
                                 problems_text(view, Colour::kNo));
  if (view.paused) line += ", paused";
  if (view.left) line += fmt::format(", about {} left", clock_text(*view.left));
  for (const std::string& waits : view.waiting) line += "; " + printable(waits);
  return line;
}

std::string problem_line(const EndedAttempt& ended, Colour colour) {
  return fmt::format("{} {}: {} ({} pass, attempt {})", in(kRed, name_of(ended.outcome), colour),
                     printable(ended.label.empty() ? "(defaults)" : ended.label),
                     printable(ended.detail), name_of(ended.pass), short_id(ended.id));
}

std::string trouble_line(std::string_view trouble) {
  // In a cluster's pool. Other pools continue.
  if (trouble.starts_with("pool `")) return fmt::format("! {}; trying again", printable(trouble));
  // Of an ended attempt. Others continue, too.
  if (trouble.starts_with("the journal of ")) return fmt::format("! {}", printable(trouble));
  return fmt::format("! nothing new starts: {}; trying again", printable(trouble));
}

std::string pause_line(std::string_view name, Pause pause) {
  if (pause == Pause::kEnds) return fmt::format("{} continues", printable(name));
  return fmt::format("! {} is paused: nothing new starts until sweepctl resume", printable(name));
}

std::string paused_devices_line(const std::vector<std::string>& devices) {
  const bool one = devices.size() == 1;
  return fmt::format("! {} {} paused: nothing new starts on {} until sweepctl resume --device {}",
                     printable(join(devices, ", ")), one ? "is" : "are", one ? "it" : "them",
                     printable(join(devices, ",")));
}

std::string out_of_service_line(const rpc::OutOfServiceEntry& device) {
  return fmt::format("! {} is out of service: {}; nothing new starts on it; see sweepctl doctor",
                     printable(device.device),
                     printable(fault_text(device.fault, device.attempt, device.since)));
}

std::vector<std::string> service_lines(const std::vector<rpc::OutOfServiceEntry>& before,
                                       const std::vector<rpc::OutOfServiceEntry>& now) {
  using Entry = rpc::OutOfServiceEntry;
  const auto has = [](const std::vector<Entry>& list, const Entry& device) {
    return std::ranges::find(list, device.device, &Entry::device) != list.end();
  };
  std::vector<std::string> lines;
  for (const Entry& device : now) {
    if (!has(before, device)) lines.push_back(out_of_service_line(device));
  }
  for (const Entry& device : before) {
    if (!has(now, device)) {
      lines.push_back(fmt::format("{} is in service again", printable(device.device)));
    }
  }
  return lines;
}

std::string erase_lines(const std::vector<std::size_t>& widths, std::size_t width) {
  std::size_t rows = 0;
  for (const std::size_t w : widths) {
    rows += width == 0 || w == 0 ? 1 : (w + width - 1) / width;
  }
  return rows == 0 ? "" : fmt::format("\x1b[{}A\r\x1b[J", rows);
}

}  // namespace sweepd
