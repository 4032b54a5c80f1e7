#include "runner/client/document/interactive.h"

#include <algorithm>
#include <utility>

#include "runner/client/document/stories.h"
#include "runner/client/picture.h"

namespace sweepd {

Result<void> make_interactive(Client& client, Document& document) {
  if (auto added = add_stories(client, document); !added) return added;
  const bool timelines = std::ranges::any_of(
      document.stories, [](const DocumentStory& story) { return !story.timelines.empty(); });
  if (timelines || !document.pictures.empty()) {
    if (auto library = plot_library()) document.plot_library = std::move(*library);
  }
  return {};
}

}  // namespace sweepd
