#include <algorithm>
#include <fstream>

#include "runner/daemon/handlers/handlers.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/params.h"

namespace sweepd {
namespace {

// More would not fit a reply; the path in the answer leads to the rest.
constexpr std::int64_t kMaxBytes = 1 << 20;

Result<nlohmann::json> read_tail(const std::filesystem::path& path, std::int64_t limit) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    return Error{ErrorCode::kNotFound, "there is no log at " + path.string() +
                                           "; the attempt may not have started, or this rank does "
                                           "not exist"};
  }
  const std::int64_t size = file.tellg();
  const std::int64_t start = std::max<std::int64_t>(0, size - limit);
  std::string text(static_cast<std::size_t>(size - start), '\0');
  file.seekg(start);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  return nlohmann::json{{"path", path.string()}, {"text", text}, {"skipped_bytes", start}};
}

}  // namespace

boost::asio::awaitable<Reply> handle_log(ReadServices& services, Session&, nlohmann::json params) {
  ParamsReader reader(params);
  const std::string who = reader.text("attempt");
  const std::int64_t rank = reader.integer_or("rank", 0);
  const std::int64_t limit =
      std::clamp<std::int64_t>(reader.integer_or("bytes", kMaxBytes), 1, kMaxBytes);
  if (const auto finished = reader.finish(); !finished) co_return finished.error();
  const auto ask = [who](Reader& r) { return r.find_attempt(who); };
  const auto attempt = co_await services.readers.run(ask);
  if (!attempt) co_return attempt.error();
  const AttemptFolder folder(services.state.runs() / attempt->id);
  const auto work = [path = folder.log(static_cast<int>(rank)), limit] {
    return read_tail(path, limit);
  };
  auto tail = co_await services.readers.compute(work);
  if (!tail) co_return tail.error();
  (*tail)["attempt"] = attempt->id;
  co_return std::move(*tail);
}

}  // namespace sweepd
