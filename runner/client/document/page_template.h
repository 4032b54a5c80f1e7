// The page around a document's chapters, and its script. Mustache: {{x}} is escaped, {{{x}}} is
// HTML already.
#pragma once

#include <string_view>

namespace sweepd {

// Sorts a table by the column whose head is clicked, or chosen with Enter, and hides the rows
// that lack a word of its filter. Words stand behind numbers, whichever way those are sorted.
inline constexpr std::string_view kPageScript = R"js(
"use strict";
for (const table of document.querySelectorAll("table.data")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells], rows = [...body.rows];
  const key = (row, column) => {
    const cell = row.cells[column], value = cell.dataset.v;
    return value === undefined ? cell.textContent : Number(value);
  };
  const sort = (head, column) => {
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const order = (a, b) => {
      const x = key(a, column), y = key(b, column);
      if (typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
      const sign = typeof x === "number" ? x - y : x.localeCompare(y, undefined, {numeric: true});
      return up ? sign : -sign;
    };
    body.append(...[...rows].sort(order));
  };
  heads.forEach((head, column) => {
    head.tabIndex = 0;
    head.addEventListener("click", () => sort(head, column));
    head.addEventListener("keydown", event => {
      if (event.key === "Enter") sort(head, column);
    });
  });
  if (rows.length < 6) continue;
  const box = document.createElement("input");
  box.type = "search";
  box.placeholder = "filter rows";
  box.setAttribute("aria-label", "filter rows");
  table.before(box);
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(word => word !== "");
    for (const row of rows) {
      const text = [...row.cells].map(cell => cell.textContent.toLowerCase()).join(" ");
      row.hidden = !words.every(word => text.includes(word));
    }
  });
}
// Plots that tell more where the mouse rests, instead of their pictures. Without `ast`, Vega makes
// functions of text, which the page forbids.
const drawPlot = data => {
  const before = data.previousElementSibling, place = document.createElement("div");
  data.after(place);
  vegaEmbed(place, JSON.parse(data.textContent), {ast: true, actions: false, renderer: "svg"})
      .then(() => { if (before?.tagName === "IMG") before.remove(); }, () => place.remove());
};
document.querySelectorAll("script.plot").forEach(drawPlot);
)js";

inline constexpr std::string_view kPageTemplate = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'nonce-{{nonce}}'">
{{#changes}}<meta http-equiv="refresh" content="5">
{{/changes}}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}</title>
<style>
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1rem; }
h1 { line-height: 1.2; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
nav li { margin: .15rem 0; }
figure { margin: 1rem 0; overflow-x: auto; }
figcaption { font-weight: 600; margin: .3rem 0; }
table { display: block; overflow-x: auto; border-collapse: collapse; font-size: .9em;
        font-variant-numeric: tabular-nums; margin: .5rem 0 1rem; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
thead th { background: var(--soft); }
table.data { display: table; }
table.data thead th { position: sticky; top: 0; background: Canvas; cursor: pointer; }
table.data tr[hidden] { display: none; }
th.right, td.right { text-align: right; }
th[aria-sort="ascending"]::after { content: " \25B2"; }
th[aria-sort="descending"]::after { content: " \25BC"; }
td[title] { cursor: help; }
td.story { cursor: pointer; }
td.story:hover, td.story:focus { text-decoration: underline; }
dialog { width: min(60rem, 92vw); max-height: 88vh; overflow-y: auto; border: 1px solid var(--line); border-radius: .4rem; }
dialog > button { float: right; font: inherit; }
dialog h3 { margin: .2rem 0; }
.dots svg { width: 100%; height: 2.6rem; overflow: visible; }
.dots figcaption { font-weight: normal; font-size: .85em; }
summary { cursor: pointer; }
figure input { font: inherit; margin: .2rem 0; }
table + ul { font-size: .85em; opacity: .8; }
pre { overflow-x: auto; background: var(--soft); padding: .6rem; font-size: .85em; }
.vega-embed { overflow-x: auto; max-width: 100%; background: white; }
.vega-embed svg { max-width: none; }
img, svg { max-width: 100%; height: auto; }
@media print { figure input { display: none; } body { max-width: none; } table { overflow-x: visible; } h2 { break-after: avoid; } }
</style>
</head>
<body>
<h1>{{title}}</h1>
{{{introduction}}}
<nav>
<ol>
{{#chapters}}
<li><a href="#{{id}}">{{title}}</a></li>
{{/chapters}}
</ol>
</nav>
{{#chapters}}
<section id="{{id}}">
<h2>{{title}}</h2>
{{{body}}}
</section>
{{/chapters}}
{{{stories}}}
{{#library}}
<script nonce="{{nonce}}">{{{library}}}</script>
{{/library}}
<script nonce="{{nonce}}">{{{script}}}</script>
</body>
</html>
)";

}  // namespace sweepd
