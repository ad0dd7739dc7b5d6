import CVirtualTime

/// The global and static variables of an app's modules. Each simulated process has its own values, like a real process:
/// a singleton of one launch does not exist in the next.
///
/// A process's values are loaded when its code runs, and stay until the code of another process runs. The objects of an
/// ended process are not released, as a killed process releases nothing.
///
/// It is used on the job thread alone, so it is Sendable.
final class ProcessGlobals: @unchecked Sendable {
    static let shared = ProcessGlobals()

    /// The values of all variables, one after the other.
    typealias Image = [UInt8]

    private let variables: [UnsafeMutableRawBufferPointer]
    private let size: Int
    private let first: Image
    /// The process whose values the variables have now.
    private var loaded: (world: ObjectIdentifier, process: ProcessID)?

    private init() {
        variables = (0..<vt_global_count()).map {
            let global = vt_global_at($0)
            return UnsafeMutableRawBufferPointer(start: global.address, count: global.size)
        }
        size = variables.reduce(0) { $0 + $1.count }
        first = Self.read(variables, size)
    }

    /// Loads a process's values into the variables.
    func load(_ process: ProcessID, of world: VirtualScheduler) {
        guard !variables.isEmpty else { return }
        let id = ObjectIdentifier(world)
        if let loaded, loaded.world == id {
            guard loaded.process != process else { return }
            world.globals[loaded.process] = Self.read(variables, size)
        }
        let image = world.globals[process] ?? first
        image.withUnsafeBytes { bytes in
            var start = 0
            for variable in variables {
                variable.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + variable.count]))
                start += variable.count
            }
        }
        loaded = (id, process)
    }

    /// Forgets the loaded process: the next world begins with the initial values.
    func reset() { loaded = nil }

    private static func read(_ variables: [UnsafeMutableRawBufferPointer], _ size: Int) -> Image {
        var image = Image()
        image.reserveCapacity(size)
        for variable in variables { image.append(contentsOf: variable) }
        return image
    }
}
