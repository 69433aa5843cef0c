#!/bin/sh
# Unpacks a Python 2.7 with numpy, for the tests of check_finite_layer.py, which old Caffes run under it.
#
#   tools/install_python2.sh [FOLDER] [MIRROR]     default: .cache/python2, and the Debian mirror that apt already uses
#
# Some 60 MB.  Debian 11's python2.7, and numpy 1.16.6, the last one for it; FOLDER/python2 SCRIPT runs it.
set -eu
cd "$(dirname "$0")/.."

folder=${1:-.cache/python2}
if [ ! -x "$folder/python2" ]; then
    if ! command -v mmdebstrap >/dev/null; then
        [ "$(id -u)" = 0 ] || { echo "mmdebstrap is missing: apt install mmdebstrap" >&2; exit 1; }
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends mmdebstrap >/dev/null
    fi
    mirror=${2:-$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Label: Debian' | sort -u | head -n 1)}
    [ -n "$mirror" ] || { echo "apt knows no Debian mirror: tools/install_python2.sh $folder MIRROR" >&2; exit 1; }
    python=.venv/bin/python
    [ -x "$python" ] || python=python3
    rm -rf "$folder.partial"
    mkdir -p "$(dirname "$folder")"
    mmdebstrap --quiet --variant=extract --include=python2.7-minimal,libpython2.7-stdlib \
        bullseye "$folder.partial" "$mirror"
    "$python" -m pip download -q --dest "$folder.partial/tmp" --no-deps --only-binary=:all: --python-version 27 \
        --implementation cp --abi cp27mu --platform manylinux1_x86_64 numpy==1.16.6
    "$python" -m zipfile -e "$folder.partial"/tmp/numpy-*.whl "$folder.partial/usr/lib/python2.7"
    cat > "$folder.partial/python2" <<'END'
#!/bin/sh
root=$(dirname "$(realpath "$0")")
unset LD_LIBRARY_PATH
loader=$(echo "$root"/lib/*-linux-gnu/ld-2.31.so)
machine=$(basename "$(dirname "$loader")")
PYTHONHOME=$root/usr exec "$loader" --library-path "$root/lib/$machine:$root/usr/lib/$machine" \
    "$root/usr/bin/python2.7" "$@"
END
    chmod +x "$folder.partial/python2"
    mv "$folder.partial" "$folder"
fi
"$folder/python2" -c 'import numpy; print("Python 2.7 with numpy %s is ready" % numpy.__version__)'
