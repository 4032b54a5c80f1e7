// The page around a document's chapters, and its style. Mustache: {{x}} is escaped, {{{x}}} is HTML
// already.
#pragma once

#include <string_view>

namespace sweepd {

inline constexpr std::string_view kChapterTemplate = R"(<section id="{{id}}">
<h2>{{title}}</h2>
{{{body}}}</section>
)";

inline constexpr std::string_view kPageTemplate = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-{{nonce}}'">
{{#changes}}<meta http-equiv="refresh" content="5">
{{/changes}}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}</title>
<style>
{{{style}}}
</style>
</head>
<body>
<header>
<div class="about">
<h1>{{title}}</h1>
{{{introduction}}}
{{{findings}}}</div>
{{{lead}}}</header>
<div class="columns">
<nav>
<ol>
{{#contents}}
<li><a href="#{{id}}">{{title}}</a></li>
{{/contents}}
</ol>
</nav>
<main>
{{{chapters}}}</main>
</div>
{{{stories}}}
<script nonce="{{nonce}}">{{{script}}}</script>
</body>
</html>
)";

// Takes its colours from the system's setting, dark or light. Prose has a readable width.
// Tables and plots take the width of the window.
inline constexpr std::string_view kPageStyle = R"css(
:root { color-scheme: light dark; --line: #8885; --soft: #8881; --quiet: #666; --warm: #b45309;
        --prose: 46rem; --back: #fff; --text: #1c1f23; }
@media (prefers-color-scheme: dark) {
  :root { --quiet: #a3a8ae; --warm: #f0a04b; --back: #15181c; --text: #dfe3e8; }
  a { color: #7db4ff; } a:visited { color: #c0a5f5; }
}
html { scroll-padding-top: 1rem; }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; margin: 0;
       padding: 1rem clamp(1rem, 2.5vw, 3rem) 4rem; background: var(--back); color: var(--text); }
h1 { font-size: 1.9rem; line-height: 1.2; margin: .5rem 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 2.2rem 0 .6rem; padding-bottom: .2rem;
     border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
p, ul, ol, blockquote { max-width: var(--prose); overflow-wrap: break-word; }
pre { max-width: 90rem; overflow-x: auto; background: var(--soft); padding: .7rem; font-size: .85em; }
header { display: flex; flex-wrap: wrap; gap: 1rem 3rem; align-items: flex-start; }
header .about { flex: 1 1 24rem; min-width: 0; max-width: var(--prose); }
header .drawn { flex: 1 1 34rem; }
.findings { border-left: 4px solid var(--warm); padding: .1rem 1rem; background: var(--soft); }
.findings ul { padding-left: 1rem; margin: .6rem 0; }
.findings li { margin: .4rem 0; }
nav { font-size: .9em; margin: 1rem 0; }
nav ol { padding-left: 1.6rem; margin: 0; }
nav li { margin: .2rem 0; overflow-wrap: anywhere; }
main { min-width: 0; }
@media (min-width: 1300px) {
  .columns { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 3rem; }
  nav { position: sticky; top: 1rem; align-self: start; max-height: 95vh; overflow-y: auto;
        margin-top: 2.2rem; }
}
.row { display: flex; flex-wrap: wrap; gap: 0 3rem; align-items: flex-start; }
.row > * { min-width: min(100%, 22rem); max-width: 100%; }
.row > section:has(.drawn) { flex: 1 1 34rem; }
figure { margin: .8rem 0 1.6rem; }
figure.drawn { flex: 1 1 34rem; overflow-x: auto; }
figure.drawn svg { display: block; width: 100%; height: auto; }
figure.table { position: relative; overflow-x: auto; }
figcaption { font-weight: 600; margin: .3rem 0; }
.constants { margin: .2rem 0; font-size: .85rem; color: var(--quiet); }
figcaption, .constants, .notes { width: 0; min-width: 100%; }
table { border-collapse: collapse; font-size: .875rem; line-height: 1.35; font-variant-numeric: tabular-nums;
        margin: .5rem 0; }
th, td { padding: .32rem .6rem; border-bottom: 1px solid var(--line); text-align: left;
         vertical-align: baseline; }
th { vertical-align: bottom; font-weight: 600; }
th.right, td.right { text-align: right; white-space: nowrap; }
th.right { white-space: normal; }
thead th { border-bottom: 2px solid var(--line); }
tbody tr:hover td { background: var(--soft); }
table.data thead th { cursor: pointer; }
table.data tr[hidden] { display: none; }
th[aria-sort="ascending"]::after { content: " \25B2"; }
th[aria-sort="descending"]::after { content: " \25BC"; }
table:has(.mark) :is(th, td) { padding-right: 1rem; }
td .mark { position: absolute; padding-left: .1em; color: var(--warm); font-weight: 600; }
td[title], td[data-tip], td[data-m] { cursor: help; }
td.story { cursor: pointer; }
td.story:hover, td.story:focus { text-decoration: underline; }
.notes { font-size: .85rem; color: var(--quiet); }
.notes summary { cursor: pointer; }
.notes li { margin: .15rem 0; max-width: 60rem; }

ul.notes { padding-left: 1.2rem; margin: .3rem 0; box-sizing: border-box; }
figure > ul.notes { list-style: none; padding-left: 0; }
summary { cursor: pointer; }
figure input { font: inherit; font-size: .85rem; margin: .2rem 0; }
#tip { position: fixed; z-index: 9; max-width: min(32rem, 92vw); box-sizing: border-box; padding: .45rem .7rem;
       border: 1px solid var(--line); border-radius: .35rem; background: var(--back); color: var(--text);
       box-shadow: 0 3px 14px #0004; font-size: .82rem; line-height: 1.4; white-space: pre-line;
       overflow-wrap: anywhere; pointer-events: none; }
dialog { width: min(72rem, 92vw); max-height: 88vh; box-sizing: border-box; overflow-y: auto;
         border: 1px solid var(--line); border-radius: .4rem; background: var(--back); color: var(--text); }
dialog > button { float: right; font: inherit; }
dialog h3 { margin: .2rem 0; }
.dots svg { width: 100%; height: 2.6rem; overflow: visible; }
.dots figcaption { font-weight: normal; font-size: .85em; }
@media (max-width: 40rem) {
  body { font-size: 15px; }
  th, td { padding-left: .35rem; padding-right: .35rem; }
}
@media print {
  :root { color-scheme: light; --back: #fff; --text: #000; --quiet: #444; }
  @page { margin: 14mm; }
  body { font-size: 10pt; padding: 0; }
  nav, figure input, #tip { display: none; }
  p, ul, ol, .notes li { max-width: none; }
  header, .row { display: block; }
  h2, figcaption { break-after: avoid; }
  tr, svg { break-inside: avoid; }
  figure.table, figure.drawn { overflow: visible; }
  figure.drawn svg { min-width: 0 !important; max-height: 22cm; }
  table { font-size: 7.5pt; }
  th, td { padding: .12rem .3rem; }
  .notes { font-size: 7.5pt; }
  .notes summary { display: none; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 7.5pt; }
  a { color: inherit; text-decoration: none; }
}
)css";

}  // namespace sweepd
