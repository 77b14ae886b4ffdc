// libnng, from Debian's libnng-dev (1.5). Debian ships no nng.pc, so the module map links it by name.
#pragma once

#include <nng/nng.h>
#include <nng/supplemental/tls/tls.h>
