// Adds a file of published figures to the database.
#pragma once

#include <string>

#include "runner/base/result.h"
#include "runner/client/session/client.h"
#include "runner/wire/messages/reference.h"

namespace sweepd {

// `mapping` "" is the file of the same name that ends with .yaml, if there is one. Errors name the
// file.
Result<ReferenceSummary> add_reference_file(Client& client, const std::string& file,
                                            const std::string& mapping);

}  // namespace sweepd
