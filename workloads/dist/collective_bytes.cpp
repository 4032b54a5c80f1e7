#include "workloads/dist/collective_bytes.h"

#include <stdexcept>
#include <string>

namespace sweepd {

CollectiveOp collective_op_from(std::string_view name) {
  if (name == "all_reduce") return CollectiveOp::kAllReduce;
  if (name == "all_gather") return CollectiveOp::kAllGather;
  if (name == "reduce_scatter") return CollectiveOp::kReduceScatter;
  if (name == "broadcast") return CollectiveOp::kBroadcast;
  throw std::invalid_argument("unknown collective operation `" + std::string(name) + "`");
}

double bus_factor(CollectiveOp op, std::int64_t ranks) {
  if (ranks <= 1) return 0;
  const auto n = static_cast<double>(ranks);
  switch (op) {
    case CollectiveOp::kAllReduce:
      return 2 * (n - 1) / n;
    case CollectiveOp::kAllGather:
    case CollectiveOp::kReduceScatter:
      return (n - 1) / n;
    case CollectiveOp::kBroadcast:
      return 1;
  }
  return 0;
}

std::int64_t collective_elements(CollectiveOp op, std::int64_t size, std::int64_t element_bytes,
                                 std::int64_t ranks) {
  const std::int64_t elements = size / element_bytes;
  const bool has_parts = op == CollectiveOp::kAllGather || op == CollectiveOp::kReduceScatter;
  return has_parts ? elements / ranks * ranks : elements;
}

double least_memory_traffic(CollectiveOp op, double size, std::int64_t ranks) {
  const auto n = static_cast<double>(ranks);
  switch (op) {
    case CollectiveOp::kAllReduce:
      return 2 * n * size;
    case CollectiveOp::kAllGather:  // n inputs of size / n, n outputs of size
    case CollectiveOp::kReduceScatter:
      return (n + 1) * size;
    case CollectiveOp::kBroadcast:  // one rank reads, the others write
      return n * size;
  }
  return 0;
}

}  // namespace sweepd
