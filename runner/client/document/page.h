// A document as one HTML page without any other file, readable with the network off.
#pragma once

#include <string>

#include "runner/client/document/document.h"

namespace sweepd {

// Markdown becomes HTML by cmark-gfm. HTML inside the markdown is dropped, so no text from a sweep
// file or a program can become markup or a script.
std::string to_page(const Document& document);

}  // namespace sweepd
