#!/bin/sh
# Makes .venv with caffelint in it, editable.  Needs Python 3.10 or newer; touches no system package but
# python3-venv, and that only where it is missing and we are root.
#
#   tools/setup.sh          caffelint alone
#   tools/setup.sh dev      and what its tests need: their tools, official schemas, a real Caffe, Python 2.7, Neovim
set -eu
case "${1:-}" in
    ""|dev) ;;
    -h|--help) sed -n 's/^# \{0,1\}//p' "$0" | sed 1d; exit ;;
    *) echo "tools/setup.sh: unknown argument $1; give dev or none" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "caffelint needs Python 3.10 or newer" >&2; exit 1; }
if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    echo "making .venv with $("$python" --version)"
    rm -rf .venv
    if "$python" -c 'import ensurepip' 2>/dev/null; then
        "$python" -m venv .venv
    elif "$python" -m pip --version >/dev/null 2>&1; then  # Debian without python3-venv, but with python3-pip
        "$python" -m venv --without-pip .venv
        "$python" -m pip -q --python .venv/bin/python install pip
    elif [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "installing python3-venv"
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends python3-venv >/dev/null
        "$python" -m venv .venv
    else
        echo "this Python has neither venv nor pip: apt install python3-venv" >&2
        exit 1
    fi
fi
if [ "${1:-}" = dev ]; then
    echo "installing caffelint and what its tests need into .venv: a minute or two"
    .venv/bin/python -m pip install -q -c constraints-test.txt -e '.[dev]'
    tools/fetch_judges.sh
    tools/install_caffe.sh
    tools/install_python2.sh
    tools/install_neovim.sh
else
    echo "installing caffelint into .venv"
    .venv/bin/python -m pip install -q -e .
fi
echo "caffelint is ready: .venv/bin/caffelint"
