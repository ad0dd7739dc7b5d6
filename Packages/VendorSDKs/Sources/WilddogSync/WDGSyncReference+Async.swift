// The forms in which Swift imports the vendor's completion blocks: the same calls, which return the block's arguments
// and throw its error. If an app awaits one, it cannot mean the call without a block, as with the vendor's.

extension WDGSyncReference {
    @discardableResult
    public nonisolated(nonsending) func setValue(_ value: Any?) async throws -> WDGSyncReference {
        try await awaitCompletion { setValue(value, withCompletionBlock: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func setValue(
        _ value: Any?, andPriority priority: Any?
    ) async throws -> WDGSyncReference {
        try await awaitCompletion { setValue(value, andPriority: priority, withCompletionBlock: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func removeValue() async throws -> WDGSyncReference {
        try await awaitCompletion { removeValue(completionBlock: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func setPriority(_ priority: Any?) async throws -> WDGSyncReference {
        try await awaitCompletion { setPriority(priority, withCompletionBlock: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func updateChildValues(
        _ values: [AnyHashable: Any]
    ) async throws -> WDGSyncReference {
        try await awaitCompletion { updateChildValues(values, withCompletionBlock: $0) }
    }

    // MARK: At the end of the connection

    @discardableResult
    public nonisolated(nonsending) func onDisconnectSetValue(_ value: Any?) async throws -> WDGSyncReference {
        try await awaitCompletion { onDisconnectSetValue(value, withCompletionBlock: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func onDisconnectSetValue(
        _ value: Any?, andPriority priority: Any?
    ) async throws -> WDGSyncReference {
        try await awaitCompletion { onDisconnectSetValue(value, andPriority: priority, withCompletionBlock: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func onDisconnectRemoveValue() async throws -> WDGSyncReference {
        try await awaitCompletion { onDisconnectRemoveValue(completionBlock: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func onDisconnectUpdateChildValues(
        _ values: [AnyHashable: Any]
    ) async throws -> WDGSyncReference {
        try await awaitCompletion { onDisconnectUpdateChildValues(values, withCompletionBlock: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func cancelDisconnectOperations() async throws -> WDGSyncReference {
        try await awaitCompletion { cancelDisconnectOperations(completionBlock: $0) }
    }

    // MARK: Transactions

    /// - Returns: true if the server has accepted it, and the value.
    @discardableResult
    public nonisolated(nonsending) func runTransactionBlock(
        _ block: @escaping WDGTransactionBlock
    ) async throws -> (Bool, WDGDataSnapshot) {
        let (error, isCommitted, snapshot) = await withUnsafeContinuation { continuation in
            runTransactionBlock(block) { continuation.resume(returning: ($0, $1, $2)) }
        }
        guard let snapshot else { throw error ?? WDGNoSnapshot() }
        return (isCommitted, snapshot)
    }

    /// Not a checked continuation: one of a killed process never resumes, and would be reported as a misuse.
    private nonisolated(nonsending) func awaitCompletion(
        _ call: (@escaping WDGSyncCompletionBlock) -> Void
    ) async throws -> WDGSyncReference {
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<WDGSyncReference, any Error>) in
            call { error, reference in
                if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: reference) }
            }
        }
    }
}

extension WDGSyncQuery {
    /// Under the name that Swift gives it. There is no error: if the server denies the read, it never ends.
    public nonisolated(nonsending) func observeSingleEventAndPreviousSiblingKey(
        of eventType: WDGDataEventType
    ) async -> (WDGDataSnapshot, String?) {
        await withUnsafeContinuation { continuation in
            observeSingleEvent(of: eventType, andPreviousSiblingKeyWith: { continuation.resume(returning: ($0, $1)) })
        }
    }
}

/// Neither an error nor a snapshot; it does not occur.
private struct WDGNoSnapshot: Error {}
