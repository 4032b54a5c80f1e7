"""Checks the golden specifications of plots against the schema of Vega-Lite 5, and draws each.

    vega_schema_test.py [--draw FOLDER]

Needs altair, which carries the schema, and vl-convert: tools/fetch_python_packages installs both. Exits
with 77 (skipped) without them. --draw keeps the pictures, as PNG.
"""

import json
import pathlib
import sys
import warnings

GOLDEN = pathlib.Path(__file__).parent / "golden"

try:
    import altair
    import jsonschema
    import vl_convert
except ImportError as missing:
    print(f"skipped: {missing}; tools/fetch_python_packages installs it")
    sys.exit(77)


def main():
    folder = pathlib.Path(sys.argv[2]) if sys.argv[1:2] == ["--draw"] else None
    schema = pathlib.Path(altair.__file__).parent / "vegalite/v5/schema/vega-lite-schema.json"
    validator = jsonschema.Draft7Validator(json.loads(schema.read_text()))
    specs = sorted(GOLDEN.glob("*.vl.json"))
    assert specs, f"no specification in {GOLDEN}"
    wrong = 0
    for file in specs:
        spec = json.loads(file.read_text())
        for error in validator.iter_errors(spec):
            best = jsonschema.exceptions.best_match([error])
            print(f"{file.name}: {'/'.join(map(str, best.absolute_path))}: {best.message[:300]}")
            wrong += 1
        png = vl_convert.vegalite_to_png(spec, vl_version="5.20", scale=2)
        if len(png) < 2000:
            print(f"{file.name}: the picture has only {len(png)} bytes")
            wrong += 1
        if folder:
            (folder / file.name.replace(".vl.json", ".png")).write_bytes(png)
    print(f"{len(specs)} specifications, {wrong} mistakes")
    return 1 if wrong else 0


with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    sys.exit(main())
