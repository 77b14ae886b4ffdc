// libyaml, from Debian's libyaml-dev (0.2.5).
#pragma once

#include <yaml.h>
