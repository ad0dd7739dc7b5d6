// The module for apps that use the vendor's SDK as one pod.
@_exported import WilddogCore
@_exported import WilddogSync
