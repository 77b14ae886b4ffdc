// Preloaded into a process (LD_PRELOAD), it counts what the process allocates. It has nothing to call.
#pragma once
