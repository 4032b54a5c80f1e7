// The parts that all Vega-Lite specifications share: their look, their title, and their text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sweepd::report {

using Json = nlohmann::ordered_json;

inline constexpr const char* kVegaLiteSchema = "https://vega.github.io/schema/vega-lite/v5.json";

Json vega_config();

// The heading of a drawing that is `pixels` wide. Vega cuts off wider text, so both texts are
// broken into lines. `subtitle` may be empty.
Json vega_title(const std::string& title, const std::string& subtitle, double pixels);

// The specification as indented JSON, always UTF-8 and without control characters.
std::string dump_vega(Json specification);

}  // namespace sweepd::report
