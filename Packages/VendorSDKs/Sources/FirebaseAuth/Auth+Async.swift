// The forms in which Swift imports the vendor's completion blocks: the same calls, which return the result and throw the
// error.

extension Auth {
    @discardableResult
    public nonisolated(nonsending) func createUser(
        withEmail email: String, password: String
    ) async throws -> AuthDataResult {
        try await awaitResult { createUser(withEmail: email, password: password, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func signIn(
        withEmail email: String, password: String
    ) async throws -> AuthDataResult {
        try await awaitResult { signIn(withEmail: email, password: password, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func signIn(withCustomToken token: String) async throws -> AuthDataResult {
        try await awaitResult { signIn(withCustomToken: token, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func signInAnonymously() async throws -> AuthDataResult {
        try await awaitResult { signInAnonymously(completion: $0) }
    }

    public nonisolated(nonsending) func sendPasswordReset(withEmail email: String) async throws {
        try await awaitEnd { sendPasswordReset(withEmail: email, completion: $0) }
    }
}

extension User {
    public nonisolated(nonsending) func updatePassword(to password: String) async throws {
        try await awaitEnd { updatePassword(to: password, completion: $0) }
    }

    public nonisolated(nonsending) func sendEmailVerification() async throws {
        try await awaitEnd { sendEmailVerification(completion: $0) }
    }
}

extension UserProfileChangeRequest {
    public nonisolated(nonsending) func commitChanges() async throws {
        try await awaitEnd { commitChanges(completion: $0) }
    }
}

// Not checked continuations: one of a killed process never resumes, and would be reported as a misuse.

private nonisolated(nonsending) func awaitResult(
    _ call: (@escaping (AuthDataResult?, (any Error)?) -> Void) -> Void
) async throws -> AuthDataResult {
    try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<AuthDataResult, any Error>) in
        call { result, error in
            if let result {
                continuation.resume(returning: result)
            } else {
                continuation.resume(throwing: error ?? AuthErrorCode.internalError)
            }
        }
    }
}

private nonisolated(nonsending) func awaitEnd(_ call: (@escaping ((any Error)?) -> Void) -> Void) async throws {
    try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
        call { error in
            if let error { continuation.resume(throwing: error) } else { continuation.resume() }
        }
    }
}
