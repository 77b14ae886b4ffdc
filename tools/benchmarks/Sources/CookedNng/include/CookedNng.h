// nng's own request protocol, REQ and REP, used the plain way from C: what a user of nng without Kith would write.
#pragma once

#include <stddef.h>

/// Answers each request with itself, until the process is ended. Returns only with an error of nng.
int CookedNngServe(const char *url);

/// Sends a request of `bytes` bytes and waits for the answer, again and again: first for `warmUpSeconds`, then for `seconds`.
///
/// Writes the latencies of the second part, in microseconds, to `latencies`, at most `capacity` of them, and how many
/// there are to `count`. Returns 0 or an error of nng.
int CookedNngPing(
    const char *url, size_t bytes, double warmUpSeconds, double seconds, double *latencies, size_t capacity,
    size_t *count);

/// What an error of nng means.
const char *CookedNngErrorText(int code);
