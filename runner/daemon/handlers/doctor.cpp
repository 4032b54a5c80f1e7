// What only the daemon can tell `sweepctl doctor`: its version, and whether the database is sound.
#include "build_info.h"
#include "db/upkeep/check.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/wire/params.h"

namespace sweepd {
namespace {

constexpr Duration kCheckLimit = seconds(10);

}  // namespace

boost::asio::awaitable<Reply> handle_doctor(ReadServices& services, Session&,
                                            nlohmann::json params) {
  ParamsReader reader(params);
  if (const auto finished = reader.finish(); !finished) co_return finished.error();
  const auto work = [file = services.database] { return check_database(file, kCheckLimit); };
  const auto check = co_await services.readers.compute(work);
  if (!check) co_return check.error();
  co_return nlohmann::json{{"version", kVersion},
                           {"commit", kBuildCommit},
                           {"database", services.database.string()},
                           {"database_bytes", check->size.value},
                           {"whole", check->checked == Checked::kWhole},
                           {"problems", check->problems}};
}

}  // namespace sweepd
