import IMClient
import IMProtocol

/// A value from a small set. Each value has a word.
package protocol FieldChoice: CaseIterable, Sendable {
    /// The word that is shown, and that a user types.
    var fieldText: String { get }
}

extension FieldChoice {
    /// The words of all cases.
    package static var words: [String] { allCases.map(\.fieldText) }
}

/// A sync phase in a frame. Its word is the name of the enum case, while in other events it is ``SyncPhase/name``.
struct FramePhase: FieldChoice {
    static var allCases: [FramePhase] { SyncPhase.allCases.map(FramePhase.init) }

    let phase: SyncPhase

    init(_ phase: SyncPhase) { self.phase = phase }

    var fieldText: String { "\(phase)" }
}

extension ClientQuery: FieldChoice { package var fieldText: String { name } }
extension ClientState: FieldChoice { package var fieldText: String { name } }
extension DeviceChange: FieldChoice { package var fieldText: String { "\(self)" } }
extension GoodbyeReason: FieldChoice { package var fieldText: String { name } }
extension KickReason: FieldChoice { package var fieldText: String { name } }
extension LinkError: FieldChoice { package var fieldText: String { name } }
extension LocalItem.Kind: FieldChoice { package var fieldText: String { name } }
extension LoginMode: FieldChoice { package var fieldText: String { "\(self)" } }
extension LoginStep: FieldChoice { package var fieldText: String { name } }
extension NetworkChange: FieldChoice { package var fieldText: String { name } }
extension OperationKind: FieldChoice { package var fieldText: String { name } }
extension Platform: FieldChoice { package var fieldText: String { name } }
extension PresenceChange: FieldChoice { package var fieldText: String { name } }
extension StateReason: FieldChoice { package var fieldText: String { name } }
extension Status: FieldChoice { package var fieldText: String { name } }
extension SyncPhase: FieldChoice { package var fieldText: String { name } }
