// An app's `import Combine` finds this on Linux. What the module has there is Swift, in CombineStandIns, which the shadows bring:
// a Swift module of this name would be found by every package of the build, which would take the system for Apple's.
