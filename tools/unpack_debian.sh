#!/bin/sh
# Unpacks packages of Debian 11, or of SUITE, and what they need into a folder, for the scripts here that install one old program.
#
#   tools/unpack_debian.sh FOLDER PACKAGE,... [MIRROR]     default: the Debian mirror that apt already uses
#
# apt refuses an archive that is not signed by Debian's own keys, and this machine's settings cannot allow it here.
set -eu

folder=$1
packages=$2
if ! command -v mmdebstrap >/dev/null; then
    [ "$(id -u)" = 0 ] || { echo "mmdebstrap is missing: apt install mmdebstrap" >&2; exit 1; }
    echo "installing mmdebstrap"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends mmdebstrap >/dev/null
fi
mirror=${3:-$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Label: Debian' | sort -u | head -n 1)}
[ -n "$mirror" ] || { echo "apt knows no Debian mirror: $0 $folder $packages MIRROR" >&2; exit 1; }
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
mmdebstrap --quiet --variant=extract --include="$packages" \
    --aptopt='Acquire::AllowInsecureRepositories "false"' \
    --aptopt='Acquire::AllowWeakRepositories "false"' \
    --aptopt='APT::Get::AllowUnauthenticated "false"' \
    "${SUITE:-bullseye}" "$folder" "$mirror"
