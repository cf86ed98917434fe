#!/bin/sh
# Builds sdsim and runs every test, twice: with gcc as it is released, and with clang under
# AddressSanitizer and UndefinedBehaviorSanitizer. Installs missing packages first (Debian 12).
#
#     sh tools/test.sh [--quick] [-- CTEST-ARGUMENTS]
#
#     --quick     only the first of the two runs
#     --          what follows goes to ctest, e.g. `-- -L unit` or `-- -R unit/clock`
#
# The last line is "N passed, N failed", with ", N skipped" if there were any, over both runs. The
# exit status is 0 only if nothing failed. A test program with a check that was skipped counts as
# passed for the rest of its checks, and the check as skipped.

set -u

root=$(cd "$(dirname "$0")/.." && pwd) || exit 2
. "$root/tools/packages.sh"

usage()
{
    sed -n 's/^#     sh /usage: sh /p' "$root/tools/test.sh" >&2
    exit 2
}

quick=
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=yes ;;
    --)
        shift
        break
        ;;
    *) usage ;;
    esac
    shift
done

need_packages build-essential cmake ninja-build pkg-config clang libclang-rt-14-dev libyaml-dev \
    libjansson-dev libcminpack-dev libzip-dev libzstd-dev libcmocka-dev dosfstools exfatprogs mtools \
    gnuplot-nox parallel sigrok-cli gcc-avr avr-libc gcc-arm-none-eabi groff-base zsh fish \
    libsdl2-dev libsdl2-ttf-dev libsdl2-image-dev fonts-dejavu-core xvfb xdotool git \
    libftdi1-dev libusb-1.0-0-dev umockdev libumockdev-dev flashrom
# Captures are read without libdeflate, too. Pages are looked at in a browser, which is large; without it
# that test is skipped.
want_packages libdeflate-dev chromium

cd "$root" || exit 2
jobs=$(nproc 2>/dev/null || echo 2)
passed=0
failed=0
skipped=0

# Number of lines in a file that match a pattern, 0 if there is no file.
count()
{
    grep -c "$1" "$2" 2>/dev/null || [ -f "$2" ] || echo 0
}

# add_results BUILD-DIRECTORY - adds what ctest left there to the totals. A test that was not run is a
# skipped one only if it said so itself; otherwise its program is missing, and it failed.
add_results()
{
    cases="$1/results.xml"
    unable=$(count '<skipped message="SKIP_RETURN_CODE=77"/>' "$cases")
    idle=$(count '<testcase .* status="notrun">$' "$cases")
    broken=$(count '<testcase .* status="fail">$' "$cases")
    checks=$(awk '/^\[  SKIPPED \] [0-9]+ test/ { n += $4 } END { print n + 0 }' \
        "$1/Testing/Temporary/LastTest.log")
    passed=$((passed + $(count '<testcase .* status="run">$' "$cases")))
    failed=$((failed + broken + idle - unable))
    skipped=$((skipped + unable + checks))
}

# run PRESET BUILD-DIRECTORY [CTEST-ARGUMENT...] - configures, builds and tests one preset of
# CMakePresets.json. A step that fails counts as one failure, and what could be built is tested.
run()
{
    preset=$1
    build=$2
    shift 2
    echo "== $preset: build"
    if ! cmake --preset "$preset"; then
        failed=$((failed + 1))
        return
    fi
    if ! cmake --build --preset "$preset" -j "$jobs"; then
        failed=$((failed + 1))
        echo "== $preset: the build failed"
    fi
    echo "== $preset: test"
    rm -f "$build/results.xml"
    before=$failed
    ctest --preset "$preset" -j "$jobs" --output-junit "$root/$build/results.xml" "$@"
    status=$?
    add_results "$build"
    if [ "$status" -ne 0 ] && [ "$failed" -eq "$before" ]; then
        failed=$((failed + 1)) # not a test, ctest itself
    fi
}

run release build "$@"
if [ -z "$quick" ]; then
    run asan build-asan "$@"
fi

summary="$passed passed, $failed failed"
[ "$skipped" -gt 0 ] && summary="$summary, $skipped skipped"
echo "$summary"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
