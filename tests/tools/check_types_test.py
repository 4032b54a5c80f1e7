#!/usr/bin/env python3
"""check_types.py on small trees: which pairs of definitions it reports."""

import unittest

from tool_sandbox import run_on_tree

DEFINITION = "#pragma once\nnamespace sweepd {\nstruct Twice {\n  int a = 0;\n};\n}\n"

# Each defines sweepd::Twice.
SAME = [
    DEFINITION,
    "namespace sweepd { class Twice final : public Base<int> {}; }",
    "namespace sweepd { class [[nodiscard]] Twice {}; }",
    "namespace sweepd { struct alignas(64) Twice {}; }",
    "namespace sweepd { enum class Twice : std::uint8_t { kOne }; }",
    "namespace sweepd { enum Twice { kOne }; }",
    "namespace sweepd { union Twice { int a; float b; }; }",
    "namespace sweepd { template <class T, std::vector<int> v> struct Twice {}; }",
    "namespace sweepd { inline namespace v1 {} namespace { struct A {}; } struct Twice {}; }",
    "namespace sweepd { void f() { if (a < b) { g(); } } struct Twice {}; }",
    "namespace sweepd { constexpr char kBrace = '{', *kText = \"}\"; /* } */ // }\nstruct Twice {}; }",
    "#define OPEN {\nnamespace sweepd { struct Twice {}; }",
    'namespace sweepd { auto kRaw = R"(}"})"; struct Twice {}; }',
    "namespace sweepd { constexpr int kMany = 1'000; struct Twice {}; constexpr int kMore = 2'000; }",
]
# None of these does.
OTHER = [
    "namespace sweepd { struct Twice; class Twice; enum class Twice : int; }",
    "namespace sweepd { namespace { struct Twice {}; } }",
    "namespace { namespace sweepd { struct Twice {}; } }",
    "namespace sweepd::report { struct Twice {}; }",
    "namespace sweepd { struct Outer { struct Twice {}; }; }",
    "namespace sweepd { void f() { struct Twice {}; } }",
    "namespace sweepd { template <> struct Twice<int> {}; }",
    "namespace sweepd { struct Twice f() { return {}; } }",
    "namespace sweepd { struct Twice one{1}; }",
    "namespace sweepd { template <class Twice> struct Other {}; }",
    "// namespace sweepd { struct Twice {}; }",
    'const char* text = "namespace sweepd { struct Twice {}; }";',
    "#define TWICE namespace sweepd { \\\n  struct Twice {}; }",
    "struct Twice {};",
]


def run(files):
    return run_on_tree("check_types.py", files)


class Pairs(unittest.TestCase):
    def test_the_same_type(self):
        for text in SAME:
            with self.subTest(text=text):
                status, lines = run({"runner/client/a.h": DEFINITION, "runner/wire/b.h": text})
                self.assertEqual((status, len(lines)), (1, 2), lines)
                self.assertRegex(lines[0], r"^runner/wire/b.h:\d+: `sweepd::Twice` is defined in "
                                           r"runner/client/a.h:3 too; rename one of them$")

    def test_another_type(self):
        for text in OTHER:
            with self.subTest(text=text):
                status, lines = run({"runner/client/a.h": DEFINITION, "runner/wire/b.h": text})
                self.assertEqual((status, len(lines)), (0, 1), lines)

    def test_anonymous_namespaces_may_share_names(self):
        text = "namespace sweepd { namespace { struct Twice {}; } }"
        self.assertEqual(run({"runner/client/a.cpp": text, "runner/client/b.cpp": text})[0], 0)

    def test_two_definitions_in_one_file_are_the_compilers_business(self):
        self.assertEqual(run({"db/a.h": f"#ifdef A\n{DEFINITION}#else\n{DEFINITION}#endif\n"})[0], 0)

    def test_every_folder_and_kind_of_file_counts(self):
        for path in ["runner/a.cpp", "db/store/a.h", "workloads/cuda/a.cu", "tests/db/a_test.cpp"]:
            with self.subTest(path=path):
                self.assertEqual(run({"runner/client/a.h": DEFINITION, path: DEFINITION})[0], 1)

    def test_the_line_of_both_is_named(self):
        _, lines = run({"db/a.h": "\n\n" + DEFINITION, "runner/b.h": "/*\n*/\n" + DEFINITION})
        self.assertTrue(lines[0].startswith("db/a.h:5: `sweepd::Twice` is defined in runner/b.h:5 too"), lines)


if __name__ == "__main__":
    unittest.main()
