#include "runner/daemon/attempts/analyst.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <istream>
#include <nlohmann/json.hpp>

#include "runner/daemon/formulas/ask_worker.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/event.h"
#include "runner/wire/json_text.h"

namespace sweepd {

namespace asio = boost::asio;

// Handlers share ownership of it, so that a late one still finds its buffers.
struct Analyst::Connection {
  Connection(asio::io_context& io, Evaluator evaluator_)
      : evaluator(std::move(evaluator_)), stream(io, ::dup(evaluator.socket())) {}

  Evaluator evaluator;
  asio::posix::stream_descriptor stream;
  asio::streambuf input;
  std::string output;
};

namespace {

// Returns the trial's mistake as the worker reports it, or nothing if the line is no such message.
std::optional<std::string> mistake_in(const std::string& line) {
  const auto json = parse_json(line);
  if (!json.is_object() || !json.contains("error") || !json["error"].is_string()) return {};
  return json["error"].get<std::string>();
}

}  // namespace

Analyst::Analyst(asio::io_context& io, Executor& executor, const Catalog& catalog)
    : io_(io), executor_(executor), catalog_(catalog) {}

Analyst::~Analyst() = default;

void Analyst::ask(std::vector<OpenAttempt> batch, const Lease& lease, OnAnswered done) {
  batch_ = std::move(batch);
  answers_.clear();
  done_ = std::move(done);
  asked_ = now_wall();
  if (!worker_) {
    auto started = executor_.start_evaluator(lease.ranks.front().cores);
    if (!started) {
      asio::post(io_, [this, why = started.error().message] { finish(why); });
      return;
    }
    worker_ = std::make_shared<Connection>(io_, std::move(*started));
    start_reading();
  }
  worker_->output.clear();
  for (const OpenAttempt& attempt : batch_) {
    worker_->output += work_question(*catalog_.find(attempt.workload), attempt.trial);
  }
  // A failed write shows as an end of the answers.
  asio::async_write(worker_->stream, asio::buffer(worker_->output),
                    [worker = worker_](const boost::system::error_code&, std::size_t) {});
}

void Analyst::start_reading() {
  asio::async_read_until(
      worker_->stream, worker_->input, '\n',
      [this, worker = worker_](const boost::system::error_code& error, std::size_t) {
        if (worker != worker_) return;
        if (error) return on_closed();
        std::istream lines(&worker->input);
        std::string line;
        std::getline(lines, line);
        on_line(line);
        if (worker == worker_) start_reading();
      });
}

void Analyst::on_line(const std::string& line) {
  if (answers_.size() == batch_.size()) return rest();  // an answer to no question
  auto event = event_from_line(line, 0);
  if (event && std::holds_alternative<WorkEvent>(*event)) {
    add({Done{"computed"}, 0}, std::move(std::get<WorkEvent>(*event).work));
  } else {
    const auto mistake = mistake_in(line);
    add({Failed{mistake.value_or("the worker gave no answer: " + line.substr(0, 200)), ""}, 0});
  }
  if (answers_.size() == batch_.size()) finish();
}

void Analyst::on_closed() {
  const ExitStatus exit = worker_->evaluator.end();
  worker_.reset();
  if (answers_.size() == batch_.size()) return;
  if (exit.code == kExitNotLoaded) return finish("the worker cannot be loaded (exit code 127)");
  spdlog::warn("the worker of analytic workloads ended at attempt {}", batch_[answers_.size()].id);
  add({Crashed{exit.signal, exit.code, ""}, 0});
  finish();
}

void Analyst::stop(Ending ending) {
  rest();
  if (answers_.size() == batch_.size()) return;
  add(std::move(ending));
  finish();
}

void Analyst::rest() {
  if (!worker_) return;
  boost::system::error_code ignored;
  worker_->stream.close(ignored);
  worker_.reset();
}

void Analyst::add(Ending ending, std::optional<WorkPerStep> work) {
  OpenAttempt& attempt = batch_[answers_.size()];
  AttemptRecord record;
  record.row = attempt.row;
  record.started = asked_;
  record.ended = now_wall();
  record.ending = std::move(ending);
  record.work = std::move(work);
  answers_.push_back({std::move(attempt), std::move(record)});
}

void Analyst::finish(const std::string& no_worker) {
  if (!done_) return;  // stopped in the meantime
  std::vector<OpenAttempt> left(
      std::make_move_iterator(batch_.begin() + static_cast<std::ptrdiff_t>(answers_.size())),
      std::make_move_iterator(batch_.end()));
  batch_.clear();
  std::exchange(done_, nullptr)(std::exchange(answers_, {}), std::move(left), no_worker);
}

}  // namespace sweepd
