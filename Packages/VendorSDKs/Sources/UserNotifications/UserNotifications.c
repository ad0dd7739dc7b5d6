#include "UserNotifications.h"
