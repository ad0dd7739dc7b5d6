import Foundation

/// A program that runs concurrently with a test. The test reads its output line by line.
///
/// The program is killed when the last reference to the object is released. Only one test may use the object.
public final class RunningProgram {
    private let process = Process()
    private let sandbox: Sandbox
    private let descriptor: Int32
    private let errorFile: String
    private var pending: [UInt8] = []
    /// Every complete line that was read so far.
    public private(set) var lines: [String] = []

    public init(_ program: String, _ arguments: [String], in sandbox: Sandbox) throws {
        self.sandbox = sandbox
        // A named pipe is opened with close-on-exec at once, so that no other child process inherits an end of it.
        let fifo = sandbox.file(".fifo-\(UUID().uuidString)")
        guard mkfifo(fifo, 0o600) == 0 else { throw Failure("no named pipe: \(String(cString: strerror(errno)))") }
        descriptor = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let writing = open(fifo, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0, writing >= 0 else { throw Failure("the named pipe cannot be opened") }
        errorFile = ".err-\(UUID().uuidString)"
        try sandbox.write(Data(), errorFile)
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: sandbox.path)
        process.environment = sandbox.environment
        process.standardInput = FileHandle.nullDevice
        let output = FileHandle(fileDescriptor: writing, closeOnDealloc: false)
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: sandbox.file(errorFile)))
        try process.run()
        close(writing)
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        close(descriptor)
    }

    public struct Failure: Error, CustomStringConvertible {
        public let description: String

        init(_ description: String) { self.description = description }
    }

    public var errors: String {
        (try? sandbox.data(errorFile)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Reads lines until one satisfies the condition. Each call continues after the line of the previous call.
    @discardableResult
    public func line(_ what: String, where holds: (String) -> Bool) throws -> String {
        let limit = ContinuousClock.now + .seconds(watchdogSeconds)
        while true {
            while let line = nextLine() {
                if holds(line) { return line }
            }
            guard try readMore(until: limit) else {
                throw Failure("the program ended without \(what):\n\(lines.joined(separator: "\n"))\n\(errors)")
            }
        }
    }

    public var processIdentifier: Int32 { process.processIdentifier }

    /// Waits for the end of the program without reading its output.
    public func waitUnread() throws {
        guard process.endsInTime() else { throw Missing("the end of a program that nobody reads") }
    }

    public func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Reads the remaining output, and waits for the end of the program.
    /// - Returns: the exit code, or 128 and the signal's number.
    public func end() throws -> Int32 {
        let limit = ContinuousClock.now + .seconds(watchdogSeconds)
        repeat { while nextLine() != nil {} } while try readMore(until: limit)
        process.waitUntilExit()
        return process.status
    }

    private func nextLine() -> String? {
        guard let end = pending.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = String(decoding: pending[..<end], as: UTF8.self)
        pending.removeSubrange(...end)
        lines.append(line)
        return line
    }

    /// - Returns: false at the end of the output.
    private func readMore(until limit: ContinuousClock.Instant) throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let left = ContinuousClock.now.duration(to: limit).components.seconds
            guard left > 0 else { throw Missing("more output after '\(lines.last ?? "")'") }
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&poller, 1, Int32(left * 1000)) > 0 else { continue }
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                pending += buffer[..<count]
                return true
            }
            if count == 0 { return false }
            if errno != EINTR && errno != EAGAIN {
                throw Failure("reading failed: \(String(cString: strerror(errno)))")
            }
        }
    }
}

extension Sandbox {
    /// Starts the shell without waiting for its end.
    public func start(_ arguments: String...) throws -> RunningProgram {
        try RunningProgram(try Program.imrepl(), arguments, in: self)
    }
}
