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
    python=.venv/bin/python
    [ -x "$python" ] || python=python3
    wheels=$(mktemp -d)
    trap 'rm -rf "$wheels"' EXIT
    echo "unpacking Python 2.7 with numpy into $folder: some 60 MB"
    echo "numpy==1.16.6 --hash=sha256:1680c8d5086a88d293dfd1a10b6429a09140cacee878034fa2308472ec835db4" \
        > "$wheels/requirements.txt"
    "$python" -m pip download -q --dest "$wheels" --no-deps --only-binary=:all: --python-version 27 \
        --implementation cp --abi cp27mu --platform manylinux1_x86_64 --require-hashes -r "$wheels/requirements.txt"
    tools/unpack_debian.sh "$folder.partial" python2.7-minimal,libpython2.7-stdlib ${2:+"$2"}
    "$python" -m zipfile -e "$wheels"/numpy-*.whl "$folder.partial/usr/lib/python2.7"
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
