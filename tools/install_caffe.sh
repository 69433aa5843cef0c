#!/bin/sh
# Unpacks a real Caffe (BVLC 1.0, CPU, with Python 3.9) from Debian 11's packages, for the tests that ask it.
#
#   tools/install_caffe.sh [FOLDER] [MIRROR]     default: .caffe, and the Debian mirror that apt already uses
#
# Some 630 MB and a minute.  Nothing is installed outside FOLDER, and no chroot is entered: FOLDER/caffe-python SCRIPT
# and FOLDER/caffe-exec PROGRAM run under Debian 11's own loader and libraries, and see this machine's paths.
set -eu
cd "$(dirname "$0")/.."

folder=${1:-.caffe}
if [ ! -x "$folder/caffe-python" ]; then
    echo "unpacking a real Caffe into $folder: some 630 MB, a minute or two"
    tools/unpack_debian.sh "$folder.partial" python3-caffe,caffe,libopenblas0-pthread ${2:+"$2"}

    # PROGRAM's own loader would find this machine's libraries, hence Debian 11's, told where to look.
    cat > "$folder.partial/caffe-exec" <<'END'
#!/bin/sh
root=$(dirname "$(realpath "$0")")
program=$1
shift
loader=$(echo "$root"/lib/*-linux-gnu/ld-2.31.so)
machine=$(basename "$(dirname "$loader")")
libraries=$root/lib/$machine:$root/usr/lib/$machine:$root/usr/lib/$machine/openblas-pthread:$root/usr/lib
exec "$loader" --library-path "$libraries" "$root/usr/bin/$program" "$@"
END
    # A child that is another Python must unset PYTHONHOME.
    cat > "$folder.partial/caffe-python" <<'END'
#!/bin/sh
root=$(dirname "$(realpath "$0")")
unset LD_LIBRARY_PATH PYTHONPATH
PYTHONHOME=$root/usr exec "$root/caffe-exec" python3.9 "$@"
END
    chmod +x "$folder.partial/caffe-exec" "$folder.partial/caffe-python"
    mv "$folder.partial" "$folder"
fi
"$folder/caffe-python" -c 'import caffe; print("caffe", caffe.__version__, "is ready")'
