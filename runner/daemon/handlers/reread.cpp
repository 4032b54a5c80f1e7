#include <spdlog/spdlog.h>

#include <optional>
#include <vector>

#include "runner/daemon/attempts/judge_attempt.h"
#include "runner/daemon/formulas/ask_worker.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/recovery/found_attempt.h"
#include "runner/model/vocabulary/pool_name.h"
#include "runner/wire/message.h"

namespace sweepd {
namespace {

constexpr Duration kRereadLimit = seconds(60);

struct ReadAgain {
  FoundAttempt found;
  AttemptRecord record;
};

struct RereadAnswer {
  std::string error;
  bool done = false;
  static void visit(auto& self, auto&& field) {
    field("error", self.error, "", Sparse());
    field("reread", self.done, "", Sparse());
  }
};

Result<bool> reread_answer(std::string_view line) {
  RereadAnswer answer;
  if (const auto read = from_message(parse_json(line), answer); !read) {
    return Error{ErrorCode::kInvalidArgument, read.error().message};
  }
  if (!answer.error.empty()) return Error{ErrorCode::kInvalidArgument, answer.error};
  return answer.done;
}

// Nothing if the last reading was the same.
Result<std::optional<ReadAgain>> read_again(const Services& services,
                                            const StoredOutputRow& output) {
  const auto folder = services.folder_of(output.pool, output.id);
  if (!folder) return folder.error();
  const auto answers =
      ask_work(services.worker, reread_question(folder->path(), output.reading), 1, kRereadLimit);
  if (!answers) return answers.error();
  const auto done = reread_answer(answers->front());
  if (!done) return done.error();
  if (!*done) return std::optional<ReadAgain>();
  auto found = read_attempt(folder->path(), services.catalog);
  if (!found) return found.error();
  AttemptRecord record = record_of(*found, output.row);
  return std::optional<ReadAgain>(ReadAgain{std::move(*found), std::move(record)});
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Reread>> handle_reread(Services& services, Session&,
                                                          rpc::Reread::Request request) {
  const auto ask = [&request](Reader& r) { return r.find_sweep(request.sweep); };
  const auto sweep = co_await services.readers.run(ask);
  if (!sweep) co_return sweep.error();
  const auto list = [&sweep](Reader& r) { return r.outputs_of_sweep(sweep->id); };
  const auto outputs = co_await services.readers.run(list);
  if (!outputs) co_return outputs.error();
  rpc::Reread::Reply reply{.sweep = sweep->id, .name = sweep->name};
  const auto leave = [&reply](const StoredOutputRow& output, const Error& why) {
    if (reply.left++ == 0)
      reply.why_left = "attempt " + std::string(short_id(output.id)) + ": " + why.message;
  };
  for (const StoredOutputRow& output : *outputs) {
    const auto work = [&] { return read_again(services, output); };
    auto again = co_await services.slow.compute(work);
    if (!again) {
      leave(output, again.error());
      continue;
    }
    if (!*again) {
      ++reply.same;
      continue;
    }
    const auto replace = [&again](Store& store) {
      ReadAgain& one = **again;
      const auto ranks = static_cast<std::int64_t>(one.found.attempt.lease.ranks.size());
      one.record.judgement = judge_attempt(store, one.found.attempt, one.record, ranks);
      return store.replace_reading(one.record);
    };
    const auto stored = co_await services.writer.run(replace);
    stored ? void(++reply.read) : leave(output, stored.error());
  }
  spdlog::info("read the output of {} attempts of {} again", reply.read, reply.name);
  co_return reply;
}

}  // namespace sweepd
