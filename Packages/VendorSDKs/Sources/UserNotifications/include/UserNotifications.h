// An app's `import UserNotifications` finds this on Linux. The module's contents are Swift, in UIKitStandIns, which the
// shadows import: every package of the build would find a Swift module of this name, and would take the system for
// Apple's.
