// Reads the details of the attempts behind a document's figures from the daemon.
#pragma once

#include "runner/base/result.h"
#include "runner/client/document/document.h"
#include "runner/client/session/client.h"

namespace sweepd {

// Adds a story for each attempt that a figure of a table names, and for the memory and profile
// passes of its trial. A page of thousands of attempts has those of the first few hundred, and its
// introduction says so. Foreign results have no story.
Result<void> add_stories(Client& client, Document& document);

}  // namespace sweepd
