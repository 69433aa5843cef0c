#!/bin/sh
# Unpacks Neovim 0.7 of Debian 12, for the test that drives the language server by a real editor.
#
#   tools/install_neovim.sh [FOLDER] [MIRROR]     default: .cache/neovim, and the Debian mirror that apt already uses
#
# Some 90 MB. Nothing is installed outside FOLDER; FOLDER/nvim runs it.
set -eu
cd "$(dirname "$0")/.."

folder=${1:-.cache/neovim}
if [ ! -x "$folder/nvim" ]; then
    echo "unpacking Neovim into $folder: some 90 MB"
    SUITE=bookworm tools/unpack_debian.sh "$folder.partial" neovim,lua-luv ${2:+"$2"}
    cat > "$folder.partial/nvim" <<'END'
#!/bin/sh
root=$(dirname "$(realpath "$0")")
unset LD_LIBRARY_PATH
loader=$(echo "$root"/lib/*-linux-gnu/ld-linux-*.so.*)
machine=$(basename "$(dirname "$loader")")
export VIMRUNTIME="$root/usr/share/nvim/runtime" LUA_PATH="$root/usr/share/lua/5.1/?.lua;;"
export LUA_CPATH="$root/usr/lib/$machine/lua/5.1/?.so;;"
exec "$loader" --library-path "$root/lib/$machine:$root/usr/lib/$machine" "$root/usr/bin/nvim" "$@"
END
    chmod +x "$folder.partial/nvim"
    mv "$folder.partial" "$folder"
fi
"$folder/nvim" --version | head -n 1
