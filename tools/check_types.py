#!/usr/bin/env python3
"""Fails when two files define a type of the same name in the same namespace.

    tools/check_types.py [ROOT]         exit 0: clean, 1: violations (one line each), 2: wrong usage

A program that has both breaks the one-definition rule. Neither compiler nor linker notices: the
linker keeps one constructor of the two, and all of the program calls it. Types in anonymous namespaces,
functions and macros may share their names; a nested type is told apart by its class.
"""

import re
import sys

sys.dont_write_bytecode = True
from check_layers import run_check, source_files  # noqa: E402

# Comments, directives and literals are skipped as a whole; then come names, `::`, and single characters.
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/
    |^[ \t]*\#(?:\\\n|[^\n])*
    |R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"
    |"(?:\\.|[^"\\])*"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\])+'
    |(?P<token>[A-Za-z_]\w*|::|[^\s\w])""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
ANONYMOUS = "(anonymous)"
INTRODUCERS = ("class", "struct", "union", "enum")


def tokens_of(text):
    """(line, token) for each token that matters here."""
    line, at = 1, 0
    for match in TOKEN.finditer(text):
        if match["token"]:
            line += text.count("\n", at, match.start())
            at = match.start()
            yield line, match["token"]


def skip_brackets(tokens, at, opening, closing):
    """The index behind the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        depth += (tokens[i] == opening) - (tokens[i] == closing)
        if depth == 0:
            return i + 1
    return len(tokens)


def defined_type(statement):
    """The name of the type whose body follows these tokens, or None. A specialization has none."""
    at = 0
    while at < len(statement) and statement[at] not in INTRODUCERS:
        if statement[at] == "template":
            at = skip_brackets(statement, at + 1, "<", ">")
        elif statement[at] in ("typedef", "static", "inline", "const", "constexpr"):
            at += 1
        else:
            return None
    name = []
    at += 1
    while at < len(statement):
        token = statement[at]
        if token == "[":
            at = skip_brackets(statement, at, "[", "]")
        elif token == "alignas":
            at = skip_brackets(statement, at + 1, "(", ")")
        elif token in INTRODUCERS:  # `enum class`
            at += 1
        elif token in ("final", ":"):
            break
        elif token == "::" or re.match(r"\w", token):
            name.append(token)
            at += 1
        else:
            return None
    # Two names in a row are a macro and a name, or a type and a function.
    return "".join(name) if name and not any(a != "::" != b for a, b in zip(name, name[1:])) else None


def namespace_of(statement):
    """The namespace whose body follows these tokens, or None."""
    statement = [token for token in statement if token != "inline"]
    if statement[:1] != ["namespace"]:
        return None
    return "".join(statement[1:]) or ANONYMOUS


def types_in(text):
    """(line, "namespace::Name") of every type that is defined at the level of a namespace."""
    scopes = []  # a namespace's name, or None for any other body
    statement = []
    for line, token in tokens_of(text):
        if token == "{":
            space = namespace_of(statement)
            if space is None and None not in scopes and ANONYMOUS not in scopes:
                name = defined_type(statement)
                if name:
                    yield line, "::".join([*scopes, name])
            scopes.append(space)
        elif token == "}" and scopes:
            scopes.pop()
        if token in "{};":
            statement = []
        else:
            statement.append(token)


def find_types(root, files):
    """{name: {file: line}}"""
    found = {}
    for path in files:
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        for line, name in types_in(text):
            found.setdefault(name, {}).setdefault(path, line)
    return found


def pairs_in(found):
    for name, places in sorted(found.items()):
        (first, first_line), *others = places.items()
        for path, line in others:
            yield f"{path}:{line}: `{name}` is defined in {first}:{first_line} too; rename one of them"


def check_tree(root):
    """Every violation as a line of text, and the number of types."""
    found = find_types(root, source_files(root))
    return list(pairs_in(found)), len(found)


if __name__ == "__main__":
    sys.exit(run_check("check_types", __doc__, "types", check_tree))
