// The table of an attempt's kernels, or why it has none.
#include "db/query/details/kernel_tables.h"
#include "db/query/state.h"

namespace sweepd {

Result<std::vector<Table>> Reader::attempt_kernels(std::int64_t row, const KernelView& view) {
  return state_->ask("showing kernels", [&]() -> Result<std::vector<Table>> {
    const auto attempt = attempt_row(*state_, row);
    if (!attempt) return attempt.error();
    std::vector<Table> tables{kernel_table(state_->connection, row, view)};
    if (!tables.front().rows.empty()) return tables;
    if (attempt->pass != Pass::kProfile) {
      return Error{ErrorCode::kFailedPrecondition,
                   "attempt " + attempt->id + " is of the " + std::string(name_of(attempt->pass)) +
                       " pass; kernels are of the profile pass (passes: [profile])"};
    }
    if (attempt->outcome() != Outcome::kDone) {
      return Error{ErrorCode::kFailedPrecondition,
                   "attempt " + attempt->id + " has no kernels: it is " +
                       (attempt->outcome() ? attempt->state : "not done")};
    }
    Query phases(state_->connection,
                 "SELECT group_concat(DISTINCT p.text) FROM kernel k JOIN name p ON p.id = k.phase "
                 "WHERE k.attempt = ? AND k.rank = ?");
    phases.bind_all(row, view.rank);
    phases.next();
    const std::string known = phases.text(0);
    if (known.empty()) {
      return Error{ErrorCode::kNotFound, "attempt " + attempt->id + " has no kernels of rank " +
                                             std::to_string(view.rank)};
    }
    if (view.phase.empty()) {
      return Error{ErrorCode::kNotFound, "attempt " + attempt->id + " has kernels of rank " +
                                             std::to_string(view.rank) + ", but no operators"};
    }
    return Error{ErrorCode::kNotFound,
                 "no kernels in phase `" + view.phase + "`; expected one of " + known};
  });
}

}  // namespace sweepd
