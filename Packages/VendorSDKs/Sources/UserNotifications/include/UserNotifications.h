// An app's `import UserNotifications` finds this on Linux. What the module has there is Swift, in UIKitStandIns, which the shadows
// bring: a Swift module of this name would be found by every package of the build, which would take the system for
// Apple's.
