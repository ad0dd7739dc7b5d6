import IMClient
import IMProtocol

/// A value that is one of a few, each of which has a word.
package protocol FieldChoice: CaseIterable, Sendable {
    /// What is shown, and what a user types for it.
    var fieldWord: String { get }
}

extension FieldChoice {
    /// The words of all of them.
    package static var words: [String] { allCases.map(\.fieldWord) }
}

/// A phase as frames show it, which is not the word that it has elsewhere.
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
