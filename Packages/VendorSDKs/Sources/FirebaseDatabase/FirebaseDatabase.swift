@_exported import FirebaseCore
@_exported import WilddogSync

// Firebase's names of the Realtime Database: each is an alias of a type in `WilddogSync`.

public typealias Database = WDGSync
public typealias DatabaseReference = WDGSyncReference
public typealias DatabaseQuery = WDGSyncQuery
public typealias DataSnapshot = WDGDataSnapshot
public typealias DataEventType = WDGDataEventType
public typealias DatabaseHandle = WDGSyncHandle
public typealias MutableData = WDGMutableData
public typealias TransactionResult = WDGTransactionResult
public typealias ServerValue = WDGServerValue
