// `sweepctl explain ATTEMPT`
#include <string>
#include <utility>

#include "runner/daemon/handlers/find_profile.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/report/explain/explain.h"

namespace sweepd {
namespace {

Result<rpc::Explain::Reply> explain_attempt(Reader& reader, const rpc::Explain::Request& request) {
  const auto attempt = find_profile(reader, request.attempt);
  if (!attempt) return attempt.error();
  const auto profile = reader.step_profile(attempt->row, request.rank);
  if (!profile) return profile.error();
  rpc::Explain::Reply reply{*attempt, profile->device, profile->step_ms, {}};
  for (report::Explanation& each : report::explain(*profile)) {
    reply.sentences.push_back({std::string(each.rule), std::move(each.text), each.share});
  }
  return reply;
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Explain>> handle_explain(ReadServices& services, Session&,
                                                            rpc::Explain::Request request) {
  const auto ask = [&request](Reader& reader) { return explain_attempt(reader, request); };
  auto reply = co_await services.readers.run(ask);
  if (!reply) co_return reply.error();
  co_return std::move(*reply);
}

}  // namespace sweepd
