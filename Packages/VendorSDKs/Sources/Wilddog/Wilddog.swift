// What apps import whose vendor's SDK came as one pod.
@_exported import WilddogCore
@_exported import WilddogSync
