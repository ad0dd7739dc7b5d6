/// The description of a session in its first event.
///
/// The event's payload is a protobuf message:
/// ```
/// uint32 format_version = 1;   uint32 behaviour_version = 2;   string title = 3;   string profile = 4;
/// string application = 5;      string os = 6;                  int64 epoch_nanoseconds = 7;
/// repeated Parameter parameters = 8;   message Parameter { string key = 1; string value = 2; }
/// ```
public struct SessionHeader: Hashable, Sendable {
    /// A setting of the world in which the session was recorded, such as the seed.
    public struct Parameter: Hashable, Sendable {
        /// The name of the setting, such as `seed`.
        public var key: String
        /// The value of the setting, as a text.
        public var value: String

        /// Creates a setting without checking it.
        public init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    /// The title of the session.
    public var title: String
    /// The profile of the session's world, such as `nim`.
    public var profile: String
    /// The name and the version of the program that recorded the session, such as `imrepl 0.1`.
    public var application: String
    /// The operating system on which the session was recorded, for display.
    public var os: String
    /// The settings, in the order in which the caller passed them.
    public var parameters: [Parameter]
    /// The wall clock at the session's instant zero, in nanoseconds since 1970. The writer sets this value.
    public internal(set) var epochNanoseconds: Int64 = 0
    /// The version of the machines' behaviour. The writer sets this value.
    public internal(set) var behaviourVersion: UInt32 = 0
    /// The version of the file format. The writer sets this value.
    public internal(set) var formatVersion: UInt32 = UInt32(SessionFormat.version)
    /// The name of the dissector in each packet. The writer sets this value.
    public internal(set) var formatName: String = ""

    /// Creates a header. The writer sets the other values, and truncates the four texts to 4000 bytes.
    public init(
        title: String, profile: String, application: String, os: String, parameters: [(key: String, value: String)] = []
    ) {
        self.title = title
        self.profile = profile
        self.application = application
        self.os = os
        self.parameters = parameters.map { Parameter(key: $0.key, value: $0.value) }
    }

    /// The value of a setting; nil if the header does not contain the setting.
    public subscript(key: String) -> String? {
        parameters.first { $0.key == key }?.value
    }

    func encoded() -> [UInt8] {
        var wire = WireWriter()
        wire.varint(1, UInt64(formatVersion))
        wire.varint(2, UInt64(behaviourVersion))
        wire.text(3, SessionFormat.clipped(title, to: SessionFormat.textLengthMax))
        wire.text(4, SessionFormat.clipped(profile, to: SessionFormat.textLengthMax))
        wire.text(5, SessionFormat.clipped(application, to: SessionFormat.textLengthMax))
        wire.text(6, SessionFormat.clipped(os, to: SessionFormat.textLengthMax))
        wire.varint(7, UInt64(bitPattern: epochNanoseconds))
        for parameter in parameters {
            var entry = WireWriter()
            entry.text(1, parameter.key)
            entry.text(2, parameter.value)
            wire.message(8, entry.bytes)
        }
        return wire.bytes
    }

    init(decoding bytes: [UInt8], formatName: String) throws {
        self.init(title: "", profile: "", application: "", os: "")
        self.formatName = formatName
        var wire = WireReader(bytes[...])
        while let (field, value) = try wire.next() {
            switch field {
            case 1: formatVersion = UInt32(clamping: value.number)
            case 2: behaviourVersion = UInt32(clamping: value.number)
            case 3: title = value.text
            case 4: profile = value.text
            case 5: application = value.text
            case 6: os = value.text
            case 7: epochNanoseconds = Int64(bitPattern: value.number)
            case 8:
                var parameter = Parameter(key: "", value: "")
                var entry = WireReader(value.bytes)
                while let (field, value) = try entry.next() {
                    switch field {
                    case 1: parameter.key = value.text
                    case 2: parameter.value = value.text
                    default: break
                    }
                }
                parameters.append(parameter)
            default: break
            }
        }
    }
}
