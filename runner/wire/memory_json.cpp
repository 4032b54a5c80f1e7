#include "runner/wire/memory_json.h"

#include <fmt/format.h>

#include "runner/wire/record_json.h"

namespace sweepd {

using Ordered = nlohmann::ordered_json;

nlohmann::json to_json(const std::vector<MemoryPicture>& pictures) {
  nlohmann::json list = nlohmann::json::array();
  for (const MemoryPicture& picture : pictures) {
    Ordered json = {{"rank", picture.rank}, {"subject", picture.subject}};
    json["bands"] = Ordered::array();
    for (const MemoryBand& band : picture.bands) {
      Ordered bytes = Ordered::array();
      for (const Bytes size : band.bytes) bytes.push_back(size.value);
      json["bands"].push_back(Ordered::array({band.kind, std::move(bytes)}));
    }
    put_rows(json, "points", picture.timeline);
    list.emplace_back(nlohmann::json(json));
  }
  return list;
}

Result<std::vector<MemoryPicture>> memory_pictures_from_json(const nlohmann::json& json) {
  const Ordered whole = {{"pictures", Ordered(json)}};
  JsonReader reader(whole);
  std::vector<MemoryPicture> pictures;
  reader.each("pictures", [&](JsonReader<Ordered>& element) {
    MemoryPicture& picture = pictures.emplace_back();
    element.required("rank", picture.rank);
    element.required("subject", picture.subject);
    element.each_value("bands", [&](const Ordered& said, const std::string& path) {
      MemoryBand& band = picture.bands.emplace_back();
      bool valid = said.is_array() && said.size() == 2 && said[1].is_array() &&
                   detail::read_json(said[0], band.kind).empty();
      for (std::size_t i = 0; valid && i < said[1].size(); ++i) {
        valid = detail::read_json(said[1][i], band.bytes.emplace_back()).empty();
      }
      if (!valid) element.fail(path, "expected [kind, [bytes, ...]]");
    });
    read_rows(element, "points", picture.timeline);
    for (const MemoryBand& band : picture.bands) {
      if (band.bytes.size() == picture.timeline.size()) continue;
      element.fail("bands", fmt::format("`{}` has {} values for {} points", band.kind,
                                        band.bytes.size(), picture.timeline.size()));
    }
  });
  if (const auto read = reader.result(); !read) return read.error();
  return pictures;
}

}  // namespace sweepd
