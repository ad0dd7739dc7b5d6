// Wilddog's accounts, under the name of their own module.
@_exported import WilddogCore
