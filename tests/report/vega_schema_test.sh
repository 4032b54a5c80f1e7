#!/usr/bin/env bash
# Runs vega_schema_test.py with the Python of tools/fetch_python_packages, where it has run.
cache=${SWEEPD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sweepd}
python=$cache/python-packages/bin/python
[[ -x $python ]] || python=python3
exec "$python" "$(dirname "$0")/vega_schema_test.py" "$@"
