#!/bin/sh
# Fuzzes with libFuzzer under AddressSanitizer and UndefinedBehaviorSanitizer.
#
#     tests/fuzz/run.sh MINUTES [NAME...]
#
# Builds the preset "fuzz" (clang) in build-fuzz, and runs each target, or those named, for so many
# minutes, one after the other. What was found interesting stays in build-fuzz/corpus/NAME and is the
# start of the next run; what fails is a file build-fuzz/crash-NAME-..., and the exit code is 1.
# FUZZ_SECONDS=N in the environment counts instead of MINUTES.
set -eu

if [ $# -lt 1 ]; then
    sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
top=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${FUZZ_SECONDS:-$(($1 * 60))}
shift
cd "$top"
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target fuzzers >/dev/null
if [ $# -eq 0 ]; then
    for source in tests/fuzz/fuzz_*.c; do
        name=${source##*/fuzz_}
        set -- "$@" "${name%.c}"
    done
fi

export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1
failed=
for name in "$@"; do
    mkdir -p "build-fuzz/corpus/$name"
    log=build-fuzz/$name.log
    if "build-fuzz/tests/fuzz/fuzz_$name-libfuzzer" -max_total_time="$seconds" -timeout=20 \
        -rss_limit_mb=1024 -malloc_limit_mb=512 -print_final_stats=1 -max_len=16384 \
        -artifact_prefix="build-fuzz/crash-$name-" "build-fuzz/corpus/$name" \
        "tests/fuzz/corpus/$name" >"$log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        reached=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
        echo "$name: nothing in $runs runs of $seconds s, $reached edges reached"
    else
        failed="$failed $name"
        echo "$name: FAILED, see $log"
        grep -E '^(==|SUMMARY|.*runtime error|.*does not hold|Test unit)' "$log" | head -n 5
    fi
done
[ -z "$failed" ]
