#include <system_error>
#include <utility>

#include "runner/daemon/handlers/handlers.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/memory_json.h"
#include "runner/wire/params.h"
#include "runner/wire/table_json.h"

namespace sweepd {

using nlohmann::json;

namespace {

// Finds an attempt by its id, else the newest done memory pass of its trial.
Result<AttemptRow> find_memory_attempt(Reader& reader, const std::string& who) {
  const auto attempt = reader.find_attempt(who);
  if (!attempt && attempt.error().code != ErrorCode::kNotFound) return attempt;
  const auto siblings = reader.attempts_of_trial(attempt ? attempt->trial_key : who);
  if (!siblings) return attempt ? siblings.error() : attempt.error();
  if (attempt && attempt->pass == Pass::kMemory) return attempt;
  const AttemptRow* found = nullptr;
  for (const AttemptRow& sibling : *siblings) {
    if (sibling.pass == Pass::kMemory && sibling.outcome == Outcome::kDone &&
        (found == nullptr || sibling.row > found->row)) {
      found = &sibling;
    }
  }
  if (found != nullptr) return *found;
  return Error{ErrorCode::kNotFound, "no memory pass of `" + who +
                                         "` is done; ask for one with `passes: [timing, memory]`"};
}

}  // namespace

boost::asio::awaitable<Reply> handle_memory(ReadServices& services, Session&, json params) {
  ParamsReader reader(params);
  const std::string who = reader.text("what");
  if (const auto finished = reader.finish(); !finished) co_return finished.error();
  const auto ask = [who](Reader& r) -> Result<json> {
    const auto attempt = find_memory_attempt(r, who);
    if (!attempt) return attempt.error();
    const auto details = r.memory_details(attempt->row);
    if (!details) return details.error();
    json tables = json::array();
    for (const Table& table : details->tables) tables.push_back(to_json(table));
    return json{
        {"attempt", attempt->id}, {"pictures", to_json(details->pictures)}, {"tables", tables}};
  };
  auto shown = co_await services.readers.run(ask);
  if (!shown) co_return shown.error();
  json& snapshots = (*shown)["snapshots"] = json::array();
  const auto folder = AttemptFolder::of(services.state.runs(), (*shown)["attempt"]);
  if (!folder) co_return folder.error();
  for (const json& picture : (*shown)["pictures"]) {
    std::error_code ignored;
    const auto file = folder->memory_snapshot(picture["rank"].get<int>());
    if (std::filesystem::exists(file, ignored)) snapshots.push_back(file.string());
  }
  co_return std::move(*shown);
}

}  // namespace sweepd
