#include "runner/client/document/interactive.h"

#include <utility>

#include "runner/client/document/stories.h"
#include "runner/client/picture.h"

namespace sweepd {

Result<void> make_interactive(Client& client, Document& document) {
  if (!document.pictures.empty()) {
    if (auto library = plot_library()) document.plot_library = std::move(*library);
  }
  return add_stories(client, document);
}

}  // namespace sweepd
