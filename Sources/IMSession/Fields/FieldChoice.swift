import IMClient
import IMProtocol

/// A value from a small set, each of which has a word.
package protocol FieldChoice: CaseIterable, Sendable {
    /// The word that is shown and typed.
    var fieldWord: String { get }
}

extension FieldChoice {
    /// The words of all cases.
    package static var words: [String] { allCases.map(\.fieldWord) }
}

/// A phase as frames show it: the word differs from the one elsewhere.
struct FramePhase: FieldChoice {
    static var allCases: [FramePhase] { SyncPhase.allCases.map(FramePhase.init) }

    let phase: SyncPhase

    init(_ phase: SyncPhase) { self.phase = phase }

    var fieldWord: String { "\(phase)" }
}

extension ClientQuery: FieldChoice { package var fieldWord: String { name } }
extension ClientState: FieldChoice { package var fieldWord: String { name } }
extension DeviceChange: FieldChoice { package var fieldWord: String { "\(self)" } }
extension GoodbyeReason: FieldChoice { package var fieldWord: String { name } }
extension KickReason: FieldChoice { package var fieldWord: String { name } }
extension LinkFault: FieldChoice { package var fieldWord: String { name } }
extension LocalItem.Kind: FieldChoice { package var fieldWord: String { name } }
extension LoginMode: FieldChoice { package var fieldWord: String { "\(self)" } }
extension LoginStep: FieldChoice { package var fieldWord: String { name } }
extension NetworkChange: FieldChoice { package var fieldWord: String { name } }
extension OperationKind: FieldChoice { package var fieldWord: String { name } }
extension Platform: FieldChoice { package var fieldWord: String { name } }
extension PresenceChange: FieldChoice { package var fieldWord: String { name } }
extension StateReason: FieldChoice { package var fieldWord: String { name } }
extension Status: FieldChoice { package var fieldWord: String { name } }
extension SyncPhase: FieldChoice { package var fieldWord: String { name } }
