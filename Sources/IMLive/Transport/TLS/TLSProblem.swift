import COpenSSL

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Why TLS cannot be set up, or has failed, in words for people.
struct TLSProblem: Error, Equatable {
    let text: String
}

extension TLSProblem {
    /// What OpenSSL says of a call that failed.
    struct Reason {
        var library: Int32
        var code: Int32
        var text: String
    }

    /// Why the last call failed, on this thread: what went wrong first. The queue is emptied before each call.
    static func reason() -> Reason {
        let error = ERR_peek_error()
        let library = copenssl_error_library(error)
        let code = copenssl_error_reason(error)
        let words = library == ERR_LIB_SYS ? strerror(code).map { UnsafePointer($0) } : ERR_reason_error_string(error)
        return Reason(
            library: library, code: code, text: words.map { String(cString: $0) } ?? "unknown error \(error)")
    }

    /// Why a PEM file could not be used.
    static func ofFile(_ what: String) -> String {
        let reason = reason()
        return switch (reason.library, reason.code) {
        case (ERR_LIB_SYS, ENOENT): "no such file"
        case (ERR_LIB_SYS, _): reason.text
        case (ERR_LIB_CRYPTO, Int32(ERR_R_INTERRUPTED_OR_CANCELLED)): "it is behind a password"
        default: "no \(what) in PEM format"
        }
    }
}
