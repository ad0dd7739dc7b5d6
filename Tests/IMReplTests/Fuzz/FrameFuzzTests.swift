import Recorder
import SansIO
import Testing

@testable import IMProtocol
@testable import IMRepl
@testable import IMSession

/// Tests with frames of every kind that have extreme values in every field. They are sent to clients and servers of
/// every profile in every phase.
@Suite struct FrameFuzzTests {
    @Test func thereAreMachinesInEveryPhase() {
        let names = MachineHarness.all.map(\.name)
        for phase in [
            "logged out", "attempting linking", "attempting authenticating", "attempting syncing", "waiting", "online",
            "leaving", "kicked", "token expired", "paused", "server with 2",
        ] {
            #expect(names.contains { $0.contains(phase) }, "no machine that is \(phase)")
        }
        #expect(Set(MachineHarness.all.map { $0.profile.prefix { $0 != "@" } }).count == 5)
    }

    /// Each number in each frame takes each extreme value once, in every phase.
    @Test func noNumberOfAFrameTraps() {
        let frames = ExtremeFrames.all
        #expect(frames.count > 500)
        #expect(Set(frames.map(\.body.name)) == Set(FrameBody.names))
        for (index, harness) in MachineHarness.all.enumerated() {
            FuzzCases.attempt("extreme frames \(harness.name)", seed: 0)
            // A few machines get all frames within seconds. In a deep run, every machine gets all of them.
            let distance = FuzzCases.isDeep ? 1 : 8
            for frame in frames[(index % distance)...].enumerated().filter({ $0.offset % distance == 0 }).map(\.element)
            {
                var trial = MachineTrial(harness)
                trial.take(.frame(harness.connections[0], frame))
                trial.wait(2)
                if let fault = trial.fault {
                    Issue.record("\(harness.name), \(frame): \(fault)")
                    return
                }
            }
        }
        FuzzCases.end()
    }

    @Test func noFrameOfAPeerTraps() {
        for seed in FuzzCases.seeds(400) {
            FuzzCases.attempt("frames", seed: seed)
            var random = SeededRandom(seed: seed)
            let harness = random.pick(MachineHarness.all)
            var trial = MachineTrial(harness)
            var maker = WireMaker(random: random)
            for _ in 0..<8 {
                let bytes = maker.message(
                    "im.v1.Frame", only: maker.random.pick(WireSchema.messages["im.v1.Frame"] ?? []))
                let connection = maker.random.pick(harness.connections)
                do throws(FrameError) {
                    let frame = try Frame(bytes: bytes)
                    #expect(try Frame(bytes: frame.bytes()) == frame)
                    trial.take(.frame(connection, frame))
                } catch {
                    trial.take(.unreadable(connection, error))
                }
                if maker.random.isOne(in: 2) { trial.wait(3) }
            }
            trial.checkState()
            if let fault = trial.fault {
                Issue.record("seed \(seed), \(harness.name): \(fault)")
                return
            }
        }
        FuzzCases.end()
    }

    /// Inputs of any kind from a file, including commands and changes of the environment.
    @Test func noInputOfAFileTraps() {
        for seed in FuzzCases.seeds(400) {
            FuzzCases.attempt("inputs", seed: seed)
            var random = SeededRandom(seed: seed)
            let harness = random.pick(MachineHarness.all)
            var trial = MachineTrial(harness)
            var maker = WireMaker(random: random)
            for _ in 0..<8 {
                let fields = WireSchema.messages["imsession.v1.Record"] ?? []
                let payload = maker.message("imsession.v1.Record", only: maker.random.pick(fields))
                let stream = maker.random.isOne(in: 3) ? 0 : maker.random.pick(harness.connections).rawValue
                let event = Event(
                    number: 1, time: trial.now, node: .session, channel: .runtime, direction: .inbound, role: .input,
                    stream: stream, payload: payload)
                if let input = event.withView({ try? trial.schema.decodeInput($0) }) { trial.take(input) }
                event.withView { view in
                    let read = SessionEvent(
                        number: 1, time: trial.now, node: "phone",
                        content: (try? trial.schema.decodeEffect(view)).map { .effect($0) } ?? .clock)
                    _ = trial.formatter.format(read)
                }
                if maker.random.isOne(in: 2) { trial.wait(3) }
            }
            trial.checkState()
            if let fault = trial.fault {
                Issue.record("seed \(seed), \(harness.name): \(fault)")
                return
            }
        }
        FuzzCases.end()
    }
}

/// Every kind of frame, with each of its numbers at each extreme value.
enum ExtremeFrames {
    static let all: [Frame] = {
        var frames: [Frame] = []
        for field in WireSchema.messages["im.v1.Frame"] ?? [] where field.message != nil {
            let plain = (0...3).map { base(field.message ?? "", enums: UInt64($0), depth: 0) }
            let paths = numbers(of: field.message ?? "", depth: 0)
            // The numbers 0 to 3 are tried for enums, because different frames define different numbers.
            for contents in plain {
                if let frame = try? Frame(bytes: Wire.varint(1, 1) + Wire.bytes(field.number, contents)) {
                    frames.append(frame)
                }
                for path in paths {
                    for value in Extremes.integers {
                        let changed = setting(path[...], of: contents, field.message ?? "", to: value)
                        for request: UInt64 in [0, 1] {
                            let bytes = Wire.varint(1, request) + Wire.bytes(field.number, changed)
                            if let frame = try? Frame(bytes: bytes), frames.last != frame { frames.append(frame) }
                        }
                    }
                }
            }
        }
        return Array(Set(frames)).sorted { "\($0)" < "\($1)" }
    }()

    /// The bytes of a message with a value in every field.
    private static func base(_ name: String, enums: UInt64, depth: Int) -> [UInt8] {
        (WireSchema.messages[name] ?? []).flatMap { field -> [UInt8] in
            if let message = field.message {
                return depth < 3 ? Wire.bytes(field.number, base(message, enums: enums, depth: depth + 1)) : []
            }
            switch field.type {
            case "string", "bytes": return Wire.bytes(field.number, Array("x".utf8))
            case "double": return Wire.double(field.number, 1)
            default: return Wire.varint(field.number, enums)
            }
        }
    }

    private static func numbers(of name: String, depth: Int) -> [[WireSchema.Field]] {
        (WireSchema.messages[name] ?? []).flatMap { field -> [[WireSchema.Field]] in
            if let message = field.message {
                return depth < 3 ? numbers(of: message, depth: depth + 1).map { [field] + $0 } : []
            }
            return field.isNumber ? [[field]] : []
        }
    }

    private static func setting(
        _ path: ArraySlice<WireSchema.Field>, of bytes: [UInt8], _ name: String, to value: UInt64
    ) -> [UInt8] {
        guard let field = path.first else { return bytes }
        // If a field occurs several times, a reader uses the last one, so the old field is removed.
        let parts = Wire.parts(bytes) ?? []
        if let message = field.message {
            let inner = parts.last { $0.number == field.number }?.contents ?? []
            return parts.filter { $0.number != field.number }.flatMap(\.bytes)
                + Wire.bytes(field.number, setting(path.dropFirst(), of: inner, message, to: value))
        }
        let changed =
            field.type == "double"
            ? Wire.double(field.number, Double(bitPattern: value)) : Wire.varint(field.number, value)
        return parts.filter { $0.number != field.number }.flatMap(\.bytes) + changed
    }
}
