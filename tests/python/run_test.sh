#!/usr/bin/env bash
# Runs a test of the Python package with the Python of tools/fetch_python_packages, where that has run.
#
#   run_test.sh TEST.py BIN
cache=${SWEEPD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sweepd}
python=$cache/python-packages/bin/python
[[ -x $python ]] || python=python3
exec "$python" "$(dirname "$0")/$1" "${@:2}"
