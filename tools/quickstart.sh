#!/bin/sh
# From a clean checkout to a first answer: installs missing packages (Debian 12), builds sdsim, runs
# one scenario and compares all of them with their published measurements.
#
#     sh tools/quickstart.sh [SCENARIO [RUN]]

set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -eq 0 ]; then
    set -- scenarios/esp32-arduino-sd.yaml read-32k
fi
. "$root/tools/packages.sh"

need_packages build-essential cmake ninja-build pkg-config libyaml-dev libjansson-dev \
    libcminpack-dev libzip-dev libzstd-dev

cd "$root"
cmake --preset release -DBUILD_TESTING=OFF >&2
cmake --build --preset release --target sdsim >&2

build/sdsim run "$@"
echo
build/sdsim compare scenarios
