#include "runner/wire/journal.h"

#include <fmt/format.h>

#include <string_view>

#include "runner/base/gzip_file.h"
#include "runner/base/units.h"

namespace sweepd {
namespace {

constexpr std::int64_t kSliceBytes = 1 << 20;
constexpr std::size_t kMistakesNamed = 10;

}  // namespace

JournalRead read_journal(const std::filesystem::path& file, int rank,
                         const std::function<void(const Event&)>& take,
                         const JournalLimits& limits) {
  JournalRead read;
  const auto give_up = [&](const std::string& why) {
    if (read.absurd.empty())
      read.absurd = fmt::format("the journal of rank {} is not read to its end: {}", rank, why);
  };
  auto opened = GzipFile::open(file, Links::kRefuse);
  if (!opened) {
    read.unread = opened.error();
    return read;
  }
  EventReader reader(rank);
  std::vector<Event> events;
  for (bool more = true; more && read.absurd.empty();) {
    const auto slice = opened->read(kSliceBytes);
    if (!slice) read.unread = slice.error();
    const std::string_view text = slice ? std::string_view(*slice) : std::string_view();
    more = !text.empty();
    read.bytes += static_cast<std::int64_t>(text.size());
    for (auto fed = reader.feed(text, events); !fed; fed = reader.feed("", events)) {
      const Error& mistake = fed.error();
      if (++read.broken_lines <= static_cast<std::int64_t>(kMistakesNamed))
        read.mistakes.push_back(mistake.message);
      if (mistake.code == ErrorCode::kResourceExhausted) give_up(mistake.message);
      if (read.broken_lines > limits.broken_lines)
        give_up(fmt::format("more than {} of its lines are no events", limits.broken_lines));
      if (!read.absurd.empty()) break;
    }
    for (const Event& event : events) take(event);
    events.clear();
    if (read.bytes > limits.bytes)
      give_up(fmt::format("it is longer than {}", to_text(Bytes{limits.bytes})));
  }
  return read;
}

}  // namespace sweepd
