// The module for apps that use the vendor's SDK as one pod.
@_exported import FirebaseAuth
@_exported import FirebaseCore
@_exported import FirebaseDatabase
