import AppStandIns

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The double of `OSAllocatedUnfairLock`, for systems without it.
public final class OSAllocatedUnfairLock<State>: @unchecked Sendable {
    private let lock = SimulatedLock()
    private var state: State

    public init(initialState: State) {
        state = initialState
    }

    public func withLock<R>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
        try lock.withLock { try body(&state) }
    }

    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
        try lock.withLock { try body(&state) }
    }
}

extension OSAllocatedUnfairLock where State == Void {
    public convenience init() {
        self.init(initialState: ())
    }

    public func withLock<R>(_ body: @Sendable () throws -> R) rethrows -> R {
        try withLock { (_: inout Void) in try body() }
    }
}
