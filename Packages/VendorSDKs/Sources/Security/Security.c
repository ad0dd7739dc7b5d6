#include "Security.h"
