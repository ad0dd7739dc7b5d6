#ifndef VT_INTERNAL_H
#define VT_INTERNAL_H

#include <time.h>

void vt_find_real_functions(void);
void vt_real_wall(struct timespec *result);

/// Finds the variables of an app's modules; before `main`, when all of them have their initial values.
void vt_find_globals(void);

#endif
