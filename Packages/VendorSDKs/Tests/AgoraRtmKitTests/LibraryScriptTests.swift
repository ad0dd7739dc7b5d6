import AgoraRtmKit
import LibraryScripts
import SimulatedApp
import Testing

private let scripts = (try? LibraryScript.all(of: "agora-rtm")) ?? []

/// The scripts of the session library, with the phone driven through the module.
@MainActor
@Suite struct LibraryScriptTests {
    @Test func theScriptsAreFound() { #expect(scripts.count >= 32) }

    @Test(arguments: scripts) func theSameHappensThroughTheModule(_ script: LibraryScript) async throws {
        let outcome = try await script.play(launch: { $0.objects["app"] = App() }, perform)
        #expect(outcome.difference == nil, "\(script)")
        #expect(!outcome.performed.isEmpty, "\(script)")
    }

    private final class App {
        let kit = AgoraRtmKit(appId: appID, delegate: nil)
        private var channels: [String: AgoraRtmChannel] = [:]

        func channel(_ name: String) -> AgoraRtmChannel? {
            if let known = channels[name] { return known }
            channels[name] = kit?.createChannel(withId: name, delegate: nil)
            return channels[name]
        }
    }

    private func perform(_ words: [String], of script: ScriptApp) -> Bool {
        guard let app = script.objects["app"] as? App, let kit = app.kit else { return false }
        let word = words.dropFirst().first ?? ""
        switch (words[0], words.count) {
        case ("login", 2): kit.login(byToken: script.token(for: word), user: word)
        case ("login", 4) where words[2] == "--ttl":
            guard let lifetime = seconds(words[3]) else { return false }
            kit.login(byToken: script.simulation.token(for: word, lifetime: lifetime), user: word)
        case ("login", 4) where words[2] == "--token": kit.login(byToken: words[3], user: word)
        case ("logout", 1): kit.logout(completion: nil)
        case ("renew-token", 1):
            guard let user = script.user else { return false }
            kit.renewToken(script.simulation.token(for: user))
        case ("renew-token", 3) where words[1] == "--token": kit.renewToken(words[2])
        case ("join", 2): app.channel(word)?.join(completion: nil)
        case ("leave", 2): app.channel(word)?.leave(completion: nil)
        case ("send", 3): kit.send(AgoraRtmMessage(text: words[2]), toPeer: word)
        case ("send", 4) where words[3] == "--channel": app.channel(word)?.send(AgoraRtmMessage(text: words[2]))
        case ("subscribe", 2): kit.subscribePeersOnlineStatus([word])
        case ("query", 3) where word == "members": app.channel(words[2])?.getMembersWithCompletion(nil)
        case ("query", 3) where word == "attributes": kit.getUserAllAttributes(words[2])
        case ("query", 3) where word == "channel-attributes": kit.getChannelAllAttributes(words[2])
        case ("attributes", 2...):
            if let place = words.firstIndex(of: "--channel") {
                let options = AgoraRtmChannelAttributeOptions()
                kit.setChannel(
                    words[place + 1], attributes: fields(words[1..<place]) { AgoraRtmChannelAttribute($0, $1) },
                    options: options)
            } else {
                kit.setLocalUserAttributes(fields(words[1...]) { AgoraRtmAttribute($0, $1) })
            }
        default: return false
        }
        return true
    }

    /// A duration as scripts write it: `30s`, `10m`.
    private func seconds(_ text: String) -> Duration? {
        guard let number = Int(text.dropLast()) else { return nil }
        return text.hasSuffix("m") ? .seconds(60 * number) : text.hasSuffix("s") ? .seconds(number) : nil
    }

    private func fields<Field>(_ words: ArraySlice<String>, _ make: (String, String) -> Field) -> [Field] {
        words.compactMap { word in
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            return parts.count == 2 ? make(parts[0], parts[1]) : nil
        }
    }
}

extension AgoraRtmAttribute {
    fileprivate convenience init(_ key: String, _ value: String) {
        self.init()
        self.key = key
        self.value = value
    }
}

extension AgoraRtmChannelAttribute {
    fileprivate convenience init(_ key: String, _ value: String) {
        self.init()
        self.key = key
        self.value = value
    }
}
