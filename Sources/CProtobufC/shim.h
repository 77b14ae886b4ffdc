// libprotobuf-c, from Debian's libprotobuf-c-dev (1.4).
#pragma once

#include <protobuf-c/protobuf-c.h>
