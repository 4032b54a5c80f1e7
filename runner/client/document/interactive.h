// Adds to a document what only a page shows: stories of attempts, and plots that answer the mouse.
#pragma once

#include "runner/base/result.h"
#include "runner/client/client.h"
#include "runner/client/document/document.h"

namespace sweepd {

// Takes some milliseconds for each attempt that a table names. Without the library that draws plots
// in a browser, the page has their pictures.
Result<void> make_interactive(Client& client, Document& document);

}  // namespace sweepd
