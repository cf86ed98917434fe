/*
 * SDSIM_SANITIZED: 1 in a build with AddressSanitizer, where tests take ten times as long and do
 * fewer rounds, else 0. gcc and clang tell it in different ways.
 */
#ifndef SDSIM_TEST_SANITIZED_H
#define SDSIM_TEST_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define SDSIM_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SDSIM_SANITIZED 1
#endif
#endif
#if !defined(SDSIM_SANITIZED)
#define SDSIM_SANITIZED 0
#endif

#endif
