#include "CookedNng.h"

#include <nng/nng.h>
#include <nng/protocol/reqrep0/rep.h>
#include <nng/protocol/reqrep0/req.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int CookedNngServe(const char *url) {
  nng_socket socket;
  int code = nng_rep0_open(&socket);
  if (code != 0) return code;
  code = nng_listen(socket, url, NULL, 0);
  while (code == 0) {
    nng_msg *message;
    if ((code = nng_recvmsg(socket, &message, 0)) != 0) break;
    // The message that came is sent back as it is: no copy.
    if ((code = nng_sendmsg(socket, message, 0)) != 0) nng_msg_free(message);
  }
  nng_close(socket);
  return code;
}

/// One request and its answer. The answer's memory serves the next request.
static int ping(nng_socket socket, nng_msg **message) {
  int code = nng_sendmsg(socket, *message, 0);
  if (code != 0) return code;
  *message = NULL;
  return nng_recvmsg(socket, message, 0);
}

int CookedNngPing(
    const char *url, size_t bytes, double warmUpSeconds, double seconds, double *latencies, size_t capacity,
    size_t *count) {
  *count = 0;
  nng_socket socket;
  nng_msg *message = NULL;
  int code = nng_req0_open(&socket);
  if (code != 0) return code;
  if ((code = nng_dial(socket, url, NULL, 0)) == 0) code = nng_msg_alloc(&message, bytes);

  const double begin = now() + warmUpSeconds;
  const double end = begin + seconds;
  double before = now();
  while (code == 0 && before < end) {
    code = ping(socket, &message);
    const double after = now();
    if (before >= begin && *count < capacity) latencies[(*count)++] = (after - before) * 1e6;
    before = after;
  }
  if (message != NULL) nng_msg_free(message);
  nng_close(socket);
  return code;
}

const char *CookedNngErrorText(int code) { return nng_strerror(code); }
