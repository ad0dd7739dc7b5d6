/// The file that the plug-in puts into a test target. A module's own declarations win over imported ones, so the app's
/// files in the same module use these types without being changed.
let shadowsText = #"""
    // Generated for this test target: the app's files beside it mean these types by the names of the real ones.
    // Clocks, sleeps and random numbers (`Date()`, `usleep`, `Int.random`) need no names: they are virtual by themselves.
    import AppStandIns

    // What `import os`, `Combine`, `Network`, `Security`, `UIKit` … find where the system has none.
    #if canImport(OSStandIns) && canImport(UIKitStandIns)
        @_exported import CombineStandIns
        @_exported import NetworkStandIns
        @_exported import OSStandIns
        @_exported import SecurityStandIns
        @_exported import UIKitStandIns
    #endif

    typealias DispatchQueue = SimulatedDispatchQueue
    typealias DispatchWorkItem = SimulatedDispatchWorkItem
    typealias DispatchGroup = SimulatedDispatchGroup
    typealias DispatchSemaphore = SimulatedDispatchSemaphore
    typealias DispatchSource = SimulatedDispatchSource
    typealias DispatchSourceTimer = SimulatedDispatchSourceTimer
    typealias DispatchPredicate = SimulatedDispatchPredicate
    typealias Timer = SimulatedTimer
    typealias RunLoop = SimulatedRunLoop
    typealias Thread = SimulatedThread
    typealias NSLock = SimulatedLock
    typealias UserDefaults = SimulatedUserDefaults
    typealias NotificationCenter = SimulatedNotificationCenter
    #if !canImport(Darwin)
        typealias NSHashTable = SimulatedHashTable
        typealias NSPointerFunctions = SimulatedPointerFunctions
        typealias Selector = SimulatedSelector
    #endif

    // A constant, because a function would be one more overload of the real one instead of hiding it.
    let dispatchPrecondition = SimulatedDispatchPrecondition()

    """#
