// Reads what `compare --kernels` needs of a profile pass.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "db/query/state.h"

namespace sweepd {
namespace {

// The steps that the rows of each rank add up; a rank without the fact has one.
using StepsOfRanks = std::map<std::int64_t, double>;

StepsOfRanks read_steps(Connection& connection, std::int64_t attempt) {
  Query query(connection,
              "SELECT f.rank, f.number FROM fact f JOIN name n ON n.id = f.name "
              "WHERE f.attempt = ? AND n.text = 'profile.steps' AND f.number >= 1");
  query.bind(attempt);
  StepsOfRanks steps;
  while (query.next()) steps[query.integer(0)] = query.real(1);
  return steps;
}

// Adds up rows of rank, name, class, calls and ns, the first of a name with its class.
class RowsByName {
 public:
  RowsByName(const StepsOfRanks& steps, std::int64_t ranks) : steps_(steps), ranks_(ranks) {}

  void add(Query& query) {
    while (query.next()) {
      const auto found = steps_.find(query.integer(0));
      const double parts =
          static_cast<double>(ranks_) * (found == steps_.end() ? 1.0 : found->second);
      const auto [place, added] = place_of_.try_emplace(query.text(1), rows_.size());
      if (added) rows_.push_back({query.text(1), query.text(2)});
      StepKernels::Kernel& row = rows_[place->second];
      row.calls += query.real(3) / parts;
      row.ms += query.real(4) / 1e6 / parts;
    }
  }
  std::vector<StepKernels::Kernel> take() { return std::move(rows_); }

 private:
  const StepsOfRanks& steps_;
  const std::int64_t ranks_;
  std::map<std::string, std::size_t> place_of_;
  std::vector<StepKernels::Kernel> rows_;
};

double total_ms(const std::vector<StepKernels::Kernel>& rows) {
  double total = 0;
  for (const StepKernels::Kernel& row : rows) total += row.ms;
  return total;
}

// Of a CPU the kernels are the operators themselves.
bool has_kernels_of_a_device(Connection& connection, std::int64_t attempt) {
  Query query(connection,
              "SELECT EXISTS (SELECT 1 FROM kernel WHERE attempt = ?1 AND kernel NOT IN "
              "(SELECT operator FROM operator WHERE attempt = ?1))");
  query.bind(attempt);
  query.next();
  return query.integer(0) != 0;
}

void read_operators(Connection& connection, std::int64_t attempt, const std::string& phase,
                    RowsByName rows, StepKernels& profile) {
  Query query(connection,
              "SELECT o.rank, n.text, '', sum(o.calls), sum(o.self_device_ns) FROM operator o "
              "JOIN name n ON n.id = o.operator JOIN name p ON p.id = o.phase WHERE o.attempt = ?1 "
              "AND o.self_device_ns > 0 AND (?2 = '' OR p.text = ?2) GROUP BY o.rank, o.operator "
              "ORDER BY 5 DESC, 2");
  query.bind_all(attempt, phase);
  rows.add(query);
  profile.operators = rows.take();
  if (profile.operators.empty()) return;
  constexpr double kRounding = 1e-6;  // ms
  const double rest = total_ms(profile.kernels) - total_ms(profile.operators);
  if (rest > kRounding) profile.operators.push_back({"(no operator)", "", rest, 0});
}

}  // namespace

Result<StepKernels> Reader::step_kernels(std::int64_t row, const std::string& phase) {
  return state_->ask("reading kernels", [&]() -> Result<StepKernels> {
    Connection& connection = state_->connection;
    StepKernels profile;
    Query ranks(connection, "SELECT count(DISTINCT rank) FROM kernel WHERE attempt = ?");
    ranks.bind(row);
    ranks.next();
    profile.ranks = ranks.integer(0);
    const StepsOfRanks steps = read_steps(connection, row);
    if (const auto first = steps.find(0); first != steps.end()) {
      profile.steps = static_cast<std::int64_t>(first->second);
    }
    RowsByName rows(steps, profile.ranks);
    Query kernels(connection,
                  "SELECT k.rank, s.text, c.text, sum(k.calls), sum(k.total_ns) FROM kernel k "
                  "JOIN name s ON s.id = k.short_name JOIN name c ON c.id = k.class "
                  "JOIN name p ON p.id = k.phase WHERE k.attempt = ?1 AND (?2 = '' OR p.text = ?2) "
                  "GROUP BY k.rank, k.short_name, k.class ORDER BY 5 DESC, 2");
    kernels.bind_all(row, phase);
    rows.add(kernels);
    profile.kernels = rows.take();
    profile.on_gpu = has_kernels_of_a_device(connection, row);
    if (profile.on_gpu) {
      read_operators(connection, row, phase, RowsByName(steps, profile.ranks), profile);
    }
    return profile;
  });
}

}  // namespace sweepd
