# How every C file of the project is compiled. Targets take it by linking sdsim_flags.

option(SDSIM_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(SDSIM_FUZZ "Instrument for libFuzzer, and build the targets of tests/fuzz with it (clang)" OFF)

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(sdsim_flags INTERFACE)
target_compile_options(
    sdsim_flags
    INTERFACE -Wall
              -Wextra
              -Wconversion
              -Wshadow
              -Wstrict-prototypes
              -Wmissing-prototypes
              -pedantic
              -Werror
              # Same inputs, same bytes out, on every machine: no fused multiply-add.
              -ffp-contract=off)

# POSIX 2008 for what C17 lacks (strdup, fseeko, realpath), with 64-bit offsets for card images.
target_compile_definitions(sdsim_flags INTERFACE _XOPEN_SOURCE=700 _FILE_OFFSET_BITS=64)

# The x87 unit computes in 80 bits; SSE rounds every step to double, like all other machines.
if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86|x86_64|AMD64|i.86)$")
    target_compile_options(sdsim_flags INTERFACE -msse2 -mfpmath=sse)
endif()

if(SDSIM_SANITIZE)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(sdsim_flags INTERFACE ${sanitizers})
    target_link_options(sdsim_flags INTERFACE ${sanitizers})
endif()

if(SDSIM_FUZZ)
    target_compile_options(sdsim_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
