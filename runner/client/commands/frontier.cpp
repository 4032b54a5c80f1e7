#include <fmt/format.h>

#include <algorithm>

#include "runner/base/say.h"
#include "runner/base/text.h"
#include "runner/client/commands/planning.h"
#include "runner/client/render/frontier_grid.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/client/session/sweep_file.h"
#include "runner/client/watch/exit_message.h"
#include "runner/client/watch/watching.h"
#include "runner/model/sweep/frontier.h"
#include "runner/wire/messages/queue.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

constexpr std::string_view kBeyondOom = "beyond the oom";  // in results of older versions

struct FrontierOptions {
  std::string file, axis, pool;
  std::vector<std::string> sets;
  std::string format = "text";
};

// A combination of the other axes, and what is known of it so far.
struct Line {
  const FrontierLine& points;
  FrontierSearch search;
  std::string problem = {};  // why it has no answer
  std::string sweep = {};    // the id of the one that tries the next size

  bool is_open() const { return problem.empty() && search.next(); }
};

std::string shown_point(const FrontierGrid& grid, const Line& line, std::size_t size) {
  std::vector<std::string> sets = grid.sets(line.points, size);
  std::rotate(sets.begin(), sets.begin() + 1, sets.end());
  return join(sets, " ");
}

// Tells the search what the attempts of its last try have shown, and returns it for people.
std::string tell(Line& line, const std::vector<AttemptRow>& attempts) {
  if (attempts.empty()) return line.problem = "it has no attempts";
  bool fits = true;
  for (const AttemptRow& attempt : attempts) {
    if (attempt.state == "done") continue;
    if (attempt.state == "oom" || attempt.detail.starts_with(kBeyondMemory) ||
        attempt.detail.starts_with(kBeyondOom)) {
      fits = false;
      continue;
    }
    line.problem = attempt.state;
    if (!attempt.detail.empty()) line.problem += ": " + attempt.detail;
    return line.problem;
  }
  line.search.tell(fits);
  return fits ? "fits" : "too large";
}

class Frontier {
 public:
  Frontier(Client& client, const SweepFile& file, const FrontierGrid& grid)
      : client_(client), file_(file), grid_(grid) {
    // A sweep of its own name, so that `report` does not take one point for the newest results.
    file_.text = with_frontier_name(file_.text);
    for (const FrontierLine& line : grid.lines) {
      lines_.push_back({line, FrontierSearch(line.sizes.size(), line.start)});
    }
  }

  // Tries a size of each open line, one round after the other.
  Result<Exit> search() {
    while (std::ranges::any_of(lines_, &Line::is_open)) {
      auto exit = try_round();
      if (!exit || *exit == Exit::kInterrupted) return exit;
    }
    const bool all =
        std::ranges::all_of(lines_, [](const Line& line) { return line.problem.empty(); });
    return all ? Exit::kOk : Exit::kNotAllDone;
  }

  Table table() const {
    Table table;
    table.title = fmt::format("The largest {} that fits", grid_.axis);
    for (const std::string& other : grid_.others)
      table.columns.push_back({other, "", Align::kLeft});
    for (const char* name : {"fits", "too large", "tries", "sizes"}) {
      table.columns.push_back({name, "", Align::kRight});
    }
    for (const Line& line : lines_) add_row(table, line);
    table.warnings = table.notes.size();
    return table;
  }

 private:
  Result<Exit> try_round() {
    std::vector<std::string> ids;
    for (Line& line : lines_) {
      if (!line.is_open()) continue;
      auto id = submit(line);
      if (!id) return id.error();
      line.sweep = *id;
      ids.push_back(std::move(*id));
    }
    const Exit watched = watch_together(client_, grid_.axis, ids);
    if (watched != Exit::kOk && watched != Exit::kNotAllDone) return watched;
    for (Line& line : lines_) {
      if (!line.is_open()) continue;
      const auto shown = client_.call<rpc::Show>({.what = line.sweep, .limit = 0});
      if (!shown) return shown.error();
      const std::string point = shown_point(grid_, line, *line.search.next());
      say(stderr, "{}: {}\n", point,
          tell(line, shown->attempts.value_or(std::vector<AttemptRow>{})));
    }
    return Exit::kOk;
  }

  Result<std::string> submit(const Line& line) {
    rpc::Submit::Request request = file_.submit();
    for (std::string& set : grid_.sets(line.points, *line.search.next())) {
      const std::string name = set.substr(0, set.find('=') + 1);
      std::erase_if(request.set, [&](const std::string& old) { return old.starts_with(name); });
      request.set.push_back(std::move(set));
    }
    const auto reply = client_.call<rpc::Submit>(request);
    if (!reply) return reply.error();
    return reply->sweeps.front().id;
  }

  void add_row(Table& table, const Line& line) const {
    std::vector<Cell> row;
    for (const std::string& value : line.points.others) row.push_back({value, {}});
    const auto& sizes = line.points.sizes;
    const std::size_t limit = line.search.first_too_large();
    if (line.problem.empty()) {
      row.push_back({limit == 0 ? "none" : sizes[limit - 1], {}});
      row.push_back({limit == sizes.size() ? "none" : sizes[limit], {}});
    } else {
      row.push_back({"?", {}});
      row.push_back({"?", {}});
      table.notes.push_back(
          fmt::format("{}: {}", shown_point(grid_, line, *line.search.next()), line.problem));
    }
    row.push_back({std::to_string(line.search.tries()), static_cast<double>(line.search.tries())});
    row.push_back({std::to_string(sizes.size()), static_cast<double>(sizes.size())});
    table.rows.push_back(std::move(row));
  }

  Client& client_;
  SweepFile file_;
  const FrontierGrid& grid_;
  std::vector<Line> lines_;
};

// Reads the file and what its points are.
Result<FrontierGrid> read_grid(Client& client, const SweepFile& file,
                               const FrontierOptions& options) {
  rpc::Plan::Request request = file.plan();
  request.all = true;
  const auto plans = plan_sweeps(client, request);
  if (!plans) return plans.error();
  if (plans->size() != 1) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("`{}` has {} sweeps: expected a file with one", options.file, plans->size())};
  }
  const SweepPlan& plan = plans->front();
  const auto catalog = client.call<rpc::Workloads>({plan.workload});
  if (!catalog) return catalog.error();
  return frontier_grid(plan, catalog->workloads.front(), options.axis);
}

Exit frontier(Client& client, const FrontierOptions& options) {
  const ExitMessage at_interrupt("queued attempts still run; the same command waits for them");
  const auto files = read_sweep_files(client, {{options.file}, options.sets, options.pool});
  if (!files) return report_error(files.error());
  const SweepFile& file = files->front();
  const auto grid = read_grid(client, file, options);
  if (!grid) return report_error(grid.error());
  Frontier search(client, file, *grid);
  const auto exit = search.search();
  if (!exit) return report_error(exit.error());
  if (*exit == Exit::kInterrupted) return *exit;
  const auto printed = print_tables({search.table()}, options.format);
  return printed ? *exit : report_error(printed.error());
}

}  // namespace

void add_frontier(Command& app, Client& client) {
  auto options = std::make_shared<FrontierOptions>();
  Command* command = app.add_subcommand(
      "frontier", "Find the largest value of a parameter that fits into the memory");
  command->add_option("FILE", options->file, "a file of one sweep; - is standard input")
      ->required();
  command
      ->add_option("--axis", options->axis,
                   "the parameter, whose values in the file are the sizes to choose from")
      ->required();
  command->add_option("--set", options->sets,
                      "NAME=VALUE[,VALUE...]: replace a parameter or an axis");
  command->add_option("--pool", options->pool, "where it runs; short for --set pool=NAME");
  add_format_option(*command, options->format);
  command->footer(
      "For each combination of the other axes it tries at most 2 log2(n) of n sizes: first the "
      "largest that\n"
      "formulas do not rule out, then one, two, four ... sizes away, then it halves. Each try is a "
      "sweep with\n"
      "the file's name and `-frontier`. Earlier results are reused, so after Ctrl-C the same "
      "command continues.\n"
      "Exit 4: an attempt ended neither `done` nor out of memory, and its row has no answer.\n"
      "Example: sweepctl frontier lm.yaml --axis context --set context=512,1024,2048,4096");
  command->callback([&client, options] {
    client.action = [&client, options] { return frontier(client, *options); };
  });
}

}  // namespace sweepd
