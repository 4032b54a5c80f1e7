// The columns of params_<workload>: which parameters they store, their SQL types, and the
// conversion between a Value and a column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/base/connection.h"
#include "runner/model/sweep/trial.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

// `priority`, `timeout`, `repeats` and `pool` may differ between the sweeps that share a trial.
// They are stored in `sweep_trial`, and in `attempt` and its `host`, instead.
bool is_per_sweep(const ParamDef& param);

std::string params_table(std::string_view workload);  // params_lm_step, not quoted
std::string_view sql_type(ValueType type);            // INTEGER, REAL, TEXT
std::string sql_literal(const Value& value);          // 5, 0.5, 'it''s', 1 for true
void bind_value(Query& query, const Value& value);    // booleans as 0 and 1
Value read_value(const Query& query, int column, ValueType type);

// Returns the indices into WorkloadDef::params of those with a column, in catalog order.
std::vector<std::size_t> stored_params(const WorkloadDef& def);

// Reads and writes the parameters of one workload's trials. Keep one object while reading many
// trials.
class ParamTable {
 public:
  ParamTable(Connection& connection, const WorkloadDef& def);
  void insert(std::int64_t trial_id, const Trial& trial);
  // Parameters without a column keep their default. Returns nothing if the trial has no row.
  std::optional<Trial> read(std::int64_t trial_id);

 private:
  Connection& connection_;
  const WorkloadDef& def_;
  std::vector<std::size_t> stored_;
  std::string insert_sql_, select_sql_;
};

}  // namespace sweepd
