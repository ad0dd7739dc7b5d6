#ifndef VT_INTERNAL_H
#define VT_INTERNAL_H

#include <time.h>

void vt_find_real_functions(void);
void vt_real_wall(struct timespec *result);

/// Reads which variables an app's modules have; before `main`, when all of them have their first values.
void vt_find_globals(void);

#endif
