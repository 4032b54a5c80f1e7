// The page around a study's chapters. Mustache: {{x}} is escaped, {{{x}}} is HTML already.
#pragma once

#include <string_view>

namespace sweepd {

inline constexpr std::string_view kPageTemplate = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}</title>
<style>
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 62rem; margin: 0 auto; padding: 1rem; }
h1 { line-height: 1.2; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
nav li { margin: .15rem 0; }
table { display: block; overflow-x: auto; border-collapse: collapse; font-size: .9em;
        font-variant-numeric: tabular-nums; margin: .5rem 0 1rem; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
thead th { background: var(--soft); }
table + ul { font-size: .85em; opacity: .8; }
pre { overflow-x: auto; background: var(--soft); padding: .6rem; font-size: .85em; }
img, svg { max-width: 100%; height: auto; }
@media print { body { max-width: none; } table { overflow-x: visible; } h2 { break-after: avoid; } }
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
</body>
</html>
)";

}  // namespace sweepd
