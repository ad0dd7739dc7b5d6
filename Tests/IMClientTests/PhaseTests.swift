import Foundation
import IMProfiles
import IMProtocol
import SansIO
import Testing

@testable import IMClient

/// Tests of the state that belongs to one phase: it exists only in this phase, and in the keyframes of this phase.
@Suite struct PhaseTests {
    @Test("C-2: exactly the phases that need a link have one", arguments: ClientPhase.allCases)
    func link(_ phase: ClientPhase) {
        for policy in [nim, zim, rtm] {
            let machine = phase.transcript(policy).machine
            switch machine.phase.kind {
            case .linking: #expect(machine.link?.isOpen == false)
            case .authenticating, .syncing, .online, .leaving: #expect(machine.link?.isOpen == true)
            case .loggedOut, .waiting, .kicked, .tokenExpired, .paused: #expect(machine.link == nil)
            }
        }
    }

    @Test("C-4 C-5: a new phase cancels the timers of the others", arguments: ClientPhase.allCases)
    func timers(_ phase: ClientPhase) {
        var machine = phase.transcript(zim).machine
        let all: [ClientTimer] = [
            .attempt, .retry, .heartbeat, .heartbeatAnswer, .grace, .logout, .request(1), .message(1), .treeAnswer(1),
            .tokenWarning, .tokenExpiry, .accountCall, .login, .suspension,
        ]
        for timer in all { machine.timers.set(timer, at: .distantFuture) }
        let next = machine.phase.kind
        guard next.successors.contains(next) else { return }
        machine.enterSilently(machine.phase)
        #expect(machine.timers.entries.map(\.name) == all.filter { $0.belongs(to: next) })
    }

    @Test("every phase can be reached and left")
    func transitions() {
        for kind in ClientMachine.Phase.Kind.allCases {
            #expect(!kind.successors.isEmpty)
            #expect(ClientMachine.Phase.Kind.allCases.contains { $0 != kind && $0.successors.contains(kind) })
            #expect(kind.successors.contains(.loggedOut), "an app that ends")
        }
    }

    @Test("a keyframe restores the same machine, and gives the same keyframe", arguments: ClientPhase.allCases)
    func keyframes(_ phase: ClientPhase) throws {
        for dialect in Dialects.all {
            let machine = phase.transcript(dialect.clientPolicy).machine
            let bytes = try Keyframe.bytes(of: machine)
            let again = try JSONDecoder().decode(ClientMachine.self, from: bytes)
            #expect(again == machine)
            #expect(try Keyframe.bytes(of: again) == bytes)
        }
    }

    @Test(
        "a keyframe whose link contradicts its phase is refused", arguments: ClientPhase.allCases)
    func impossibleKeyframes(_ phase: ClientPhase) throws {
        let machine = phase.transcript(nim).machine
        let open = try Keyframe(of: ClientPhase.online.transcript(nim).machine).fields["link"]
        let opening = try Keyframe(of: ClientPhase.linking.transcript(nim).machine).fields["link"]
        for link in [nil, open, opening] {
            var keyframe = try Keyframe(of: machine)
            keyframe.fields["link"] = link
            let isOpen = (link as? [String: Any])?["isOpen"] as? Bool
            if isOpen == machine.link?.isOpen {
                #expect(throws: Never.self) { try keyframe.machine }
            } else {
                #expect(throws: DecodingError.self) { try keyframe.machine }
            }
        }
    }

    @Test("a keyframe with an admin call beside a login, or without a link, is refused")
    func impossibleCalls() throws {
        let phone = ClientPhase.loggedOut.transcript(chat)
        phone.command(.accountCall(user: "alice", credential: "p", .listDevices))
        var calling = try Keyframe(of: phone.machine)
        #expect(throws: Never.self) { try calling.machine }
        var online = try Keyframe(of: ClientPhase.online.transcript(chat).machine)
        online.fields["accountCall"] = calling.fields["accountCall"]
        #expect(throws: DecodingError.self) { try online.machine }
        calling.fields["link"] = nil
        #expect(throws: DecodingError.self) { try calling.machine }
    }
}

/// The JSON of a machine. Tests change its fields.
private struct Keyframe {
    var fields: [String: Any]

    init(of machine: ClientMachine) throws {
        let object = try JSONSerialization.jsonObject(with: Keyframe.bytes(of: machine))
        fields = try #require(object as? [String: Any])
    }

    var machine: ClientMachine {
        get throws {
            try JSONDecoder().decode(ClientMachine.self, from: JSONSerialization.data(withJSONObject: fields))
        }
    }

    static func bytes(of machine: ClientMachine) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(machine)
    }
}
