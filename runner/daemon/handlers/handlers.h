// One verb, one file: handlers/<verb>.cpp. A handler checks its parameters, asks the services, and
// replies; it never blocks the event loop. docs/PROTOCOL.md documents each.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <variant>

#include "runner/daemon/planning/prepare.h"
#include "runner/daemon/serving/reply.h"
#include "runner/daemon/serving/services.h"
#include "runner/daemon/serving/session.h"
#include "runner/wire/messages/machine.h"
#include "runner/wire/messages/pause.h"
#include "runner/wire/messages/plan.h"
#include "runner/wire/messages/plots.h"
#include "runner/wire/messages/queue.h"
#include "runner/wire/messages/reference.h"
#include "runner/wire/messages/results.h"
#include "runner/wire/messages/study.h"
#include "runner/wire/messages/try.h"
#include "runner/wire/messages/upkeep.h"
#include "runner/wire/rpc.h"

namespace sweepd {

using Handler = boost::asio::awaitable<Reply> (*)(Services&, Session&, nlohmann::json params);
// Needs no daemon: works with a database file alone.
using ReadHandler = boost::asio::awaitable<Reply> (*)(ReadServices&, Session&,
                                                      nlohmann::json params);

struct Method {
  std::string_view name;
  std::variant<Handler, ReadHandler> handle;
};

// All methods, in the order of their names.
std::span<const Method> methods();

// Asks the worker for computed parameters and plugins; `folder` is that of the sweep file.
AskedOfWorker ask_worker_of(const Services& services, const std::string& folder);

// Queues the attempts of a receipt. The results of its own formulas are stored when this returns;
// those of attempts that it joined may come later.
boost::asio::awaitable<Result<void>> begin_attempts(Services& services, SubmitReceipt& receipt);

// Finds and runs the handler: the AnswerRequest of a Session. An unknown method, an exception, or a
// method that needs a daemon if there is none gives an error reply.
boost::asio::awaitable<Reply> call_handler(ReadServices& reading, Services* all, Session& session,
                                           RpcRequest request);

boost::asio::awaitable<Answer<rpc::Backup>> handle_backup(ReadServices&, Session&,
                                                          rpc::Backup::Request);
boost::asio::awaitable<Answer<rpc::Cancel>> handle_cancel(Services&, Session&,
                                                          rpc::Cancel::Request);
boost::asio::awaitable<Answer<rpc::Compact>> handle_compact(Services&, Session&,
                                                            rpc::Compact::Request);
boost::asio::awaitable<Answer<rpc::Compare>> handle_compare(ReadServices&, Session&,
                                                            rpc::Compare::Request);
boost::asio::awaitable<Answer<rpc::Delete>> handle_delete(Services&, Session&,
                                                          rpc::Delete::Request);
boost::asio::awaitable<Answer<rpc::Config>> handle_config(Services&, Session&,
                                                          rpc::Config::Request);
boost::asio::awaitable<Answer<rpc::Devices>> handle_devices(Services&, Session&,
                                                            rpc::Devices::Request);
boost::asio::awaitable<Answer<rpc::Doctor>> handle_doctor(ReadServices&, Session&,
                                                          rpc::Doctor::Request);
boost::asio::awaitable<Answer<rpc::Explain>> handle_explain(ReadServices&, Session&,
                                                            rpc::Explain::Request);
boost::asio::awaitable<Answer<rpc::Kernels>> handle_kernels(ReadServices&, Session&,
                                                            rpc::Kernels::Request);
boost::asio::awaitable<Answer<rpc::List>> handle_list(ReadServices&, Session&, rpc::List::Request);
boost::asio::awaitable<Answer<rpc::Log>> handle_log(ReadServices&, Session&, rpc::Log::Request);
boost::asio::awaitable<Answer<rpc::Memory>> handle_memory(ReadServices&, Session&,
                                                          rpc::Memory::Request);
boost::asio::awaitable<Answer<rpc::Merge>> handle_merge(Services&, Session&, rpc::Merge::Request);
boost::asio::awaitable<Answer<rpc::Noise>> handle_noise(Services&, Session&, rpc::Noise::Request);
boost::asio::awaitable<Answer<rpc::Pause>> handle_pause(Services&, Session&, rpc::Pause::Request);
boost::asio::awaitable<Answer<rpc::Plan>> handle_plan(Services&, Session&, rpc::Plan::Request);
boost::asio::awaitable<Answer<rpc::Plot>> handle_plot(ReadServices&, Session&, rpc::Plot::Request);
boost::asio::awaitable<Answer<rpc::Query>> handle_query(ReadServices&, Session&,
                                                        rpc::Query::Request);
boost::asio::awaitable<Answer<rpc::ReferenceAdd>> handle_reference_add(Services&, Session&,
                                                                       rpc::ReferenceAdd::Request);
boost::asio::awaitable<Answer<rpc::ReferenceList>> handle_reference_list(
    ReadServices&, Session&, rpc::ReferenceList::Request);
boost::asio::awaitable<Answer<rpc::ReferenceRemove>> handle_reference_remove(
    Services&, Session&, rpc::ReferenceRemove::Request);
boost::asio::awaitable<Answer<rpc::Report>> handle_report(ReadServices&, Session&,
                                                          rpc::Report::Request);
boost::asio::awaitable<Answer<rpc::Reread>> handle_reread(Services&, Session&,
                                                          rpc::Reread::Request);
boost::asio::awaitable<Answer<rpc::Resume>> handle_resume(Services&, Session&,
                                                          rpc::Resume::Request);
boost::asio::awaitable<Answer<rpc::Retry>> handle_retry(Services&, Session&, rpc::Retry::Request);
boost::asio::awaitable<Answer<rpc::Show>> handle_show(ReadServices&, Session&, rpc::Show::Request);
boost::asio::awaitable<Answer<rpc::Status>> handle_status(Services&, Session&,
                                                          rpc::Status::Request);
boost::asio::awaitable<Answer<rpc::Stop>> handle_stop(Services&, Session&, rpc::Stop::Request);
boost::asio::awaitable<Answer<rpc::ReadStudy>> handle_study(Services&, Session&,
                                                            rpc::ReadStudy::Request);
boost::asio::awaitable<Answer<rpc::Submit>> handle_submit(Services&, Session&,
                                                          rpc::Submit::Request);
boost::asio::awaitable<Answer<rpc::Try>> handle_try(Services&, Session&, rpc::Try::Request);
boost::asio::awaitable<Answer<rpc::Usage>> handle_usage(ReadServices&, Session&,
                                                        rpc::Usage::Request);
boost::asio::awaitable<Answer<rpc::Watch>> handle_watch(Services&, Session&, rpc::Watch::Request);
boost::asio::awaitable<Answer<rpc::Workloads>> handle_workloads(ReadServices&, Session&,
                                                                rpc::Workloads::Request);

}  // namespace sweepd
