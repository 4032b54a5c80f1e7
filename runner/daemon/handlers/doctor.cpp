// Facts that only the daemon has for `sweepctl doctor`: its version, and whether the database is
// sound.
#include "build_info.h"
#include "db/upkeep/check.h"
#include "runner/daemon/handlers/handlers.h"

namespace sweepd {
namespace {

constexpr Duration kDoctorCheckLimit = seconds(10);

}  // namespace

boost::asio::awaitable<Answer<rpc::Doctor>> handle_doctor(ReadServices& services, Session&,
                                                          rpc::Doctor::Request) {
  const auto work = [file = services.database] { return check_database(file, kDoctorCheckLimit); };
  const auto check = co_await services.slow.compute(work);
  if (!check) co_return check.error();
  co_return rpc::Doctor::Reply{.version = kVersion,
                               .commit = kBuildCommit,
                               .database = services.database,
                               .database_size = check->size,
                               .whole = check->checked == Checked::kWhole,
                               .problems = check->problems};
}

}  // namespace sweepd
