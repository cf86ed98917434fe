# shellcheck shell=sh
# Installs what a script needs, if it isn't there. Sourced by test.sh and quickstart.sh, POSIX sh.
#
# What counts is whether a thing works, not which package it came from: a compiler or library of the
# user's own is fine, and nothing is printed when nothing is missing. The packages are Debian's.

# Whether the thing that a package is for is there.
package_works()
{
    case $1 in
    build-essential) command -v gcc && command -v make ;;
    cmake) command -v cmake ;;
    ninja-build) command -v ninja ;;
    pkg-config) command -v pkg-config ;;
    clang) command -v clang ;;
    libclang-rt-14-dev) clang_sanitizes ;;
    libyaml-dev) pkg-config --exists yaml-0.1 ;;
    libjansson-dev) pkg-config --exists jansson ;;
    libcminpack-dev) pkg-config --exists cminpack ;;
    libzip-dev) pkg-config --exists libzip ;;
    libdeflate-dev) pkg-config --exists libdeflate ;;
    libzstd-dev) pkg-config --exists libzstd ;;
    libcmocka-dev) pkg-config --exists cmocka ;;
    dosfstools) command -v fsck.fat && command -v mkfs.fat ;;
    exfatprogs) command -v fsck.exfat && command -v mkfs.exfat ;;
    mtools) command -v mdir ;;
    gnuplot-nox) command -v gnuplot ;;
    sigrok-cli) command -v sigrok-cli ;;
    gcc-avr) command -v avr-gcc ;;
    avr-libc) dpkg -s avr-libc ;;
    gcc-arm-none-eabi) command -v arm-none-eabi-gcc ;;
    groff-base) command -v groff ;;
    zsh) command -v zsh ;;
    fish) command -v fish ;;
    git) command -v git ;;
    libftdi1-dev) pkg-config --exists libftdi1 ;;
    libusb-1.0-0-dev) pkg-config --exists libusb-1.0 ;;
    libumockdev-dev) pkg-config --exists umockdev-1.0 ;;
    umockdev) command -v umockdev-wrapper ;;
    flashrom) command -v flashrom ;;
    parallel) command -v parallel ;;
    chromium) command -v chromium || command -v google-chrome ;;
    *) dpkg -s "$1" ;;
    esac >/dev/null 2>&1
}

# Whether clang can link a program with the sanitizers; their run-time library is its own package.
clang_sanitizes()
{
    probe=$(mktemp) || return 1
    echo 'int main(void) { return 0; }' |
        clang -fsanitize=address,undefined -x c - -o "$probe"
    works=$?
    rm -f "$probe"
    return $works
}

missing_packages()
{
    for package in "$@"; do
        package_works "$package" || printf ' %s' "$package"
    done
}

# need_packages NAME... - returns only if everything is there.
need_packages()
{
    PATH=$PATH:/usr/sbin:/sbin # fsck and mkfs, for users other than root
    missing=$(missing_packages "$@")
    [ -z "$missing" ] && return

    if [ "$(id -u)" -eq 0 ]; then
        as_root=
    elif command -v sudo >/dev/null 2>&1; then
        as_root=sudo
    else
        as_root=none
    fi
    if [ "$as_root" = none ] || ! command -v apt-get >/dev/null 2>&1; then
        echo "Missing:$missing (Debian's package names)." >&2
        echo "This script can't install them: it needs apt-get, and root or sudo." >&2
        exit 2
    fi

    echo "Installing:$missing" >&2
    # A fresh machine has no package lists; an old one has stale ones.
    # shellcheck disable=SC2086 # a list of words
    if ! { $as_root apt-get update -qq &&
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
            --no-install-recommends $missing; } >/dev/null; then
        echo "apt-get failed. To do it by hand: apt-get install$missing" >&2
        exit 2
    fi

    missing=$(missing_packages "$@")
    if [ -n "$missing" ]; then
        echo "Still missing after the installation:$missing" >&2
        exit 2
    fi
}

# want_packages NAME... - the same for what can be done without: says what is missing, and returns.
want_packages()
{
    (need_packages "$@") || echo "Going on without:$(missing_packages "$@")" >&2
}
