/// The terms of the documentation and of `help`. `GLOSSARY.md` is generated from this table; a test compares them.
package enum Glossary {
    /// A titled group of related terms.
    package struct Section: Sendable {
        package var title: String
        package var terms: [Term]
    }

    /// A term with its meaning.
    package struct Term: Sendable {
        /// The name of the term; several names are separated by commas.
        package var name: String
        package var meaning: String

        init(_ name: String, _ meaning: String) { (self.name, self.meaning) = (name, meaning) }

        /// The term and its meaning in one line, for `help`.
        var line: String { "\(name): \(meaning)" }

        /// The names as a list.
        package var names: [String] {
            name.split(separator: ",").map { String($0.drop { $0 == " " }) }
        }
    }

    package static let sections: [Section] = [
        Section(title: "The world", terms: world),
        Section(title: "Logins", terms: logins),
        Section(title: "Connections and faults", terms: connections),
        Section(title: "Data", terms: data),
        Section(title: "Sessions", terms: sessions),
    ]

    private static let world = [
        Term("profile", "one of the five SDKs, with its rules, callbacks and codes"),
        Term("dialect", "the vendor's names and numbers for a profile's behaviour"),
        Term("world", "the clients, the server and the network of one session"),
        Term("live world", "a world on real sockets and the wall clock"),
        Term("simulated world", "a world in virtual time, on a network without sockets"),
        Term("node", "a client or the server, as a session names it"),
        Term("client", "one SDK instance in an app's process on a device"),
        Term("device", "a phone, a pad or a computer, with a platform and stored data"),
        Term("platform", "iOS, Android, web and so on; it decides which logins exclude each other"),
        Term("account", "a user that the server knows"),
        Term("operator", "the person who controls the server with the `server` commands"),
        Term(
            "policy",
            "a value that decides how a client or the server behaves; `server policy` lists those of the server"),
        Term("rule", "a documented behaviour with an id, such as `NIM-4`; `help NIM-4` prints it"),
        Term("bug pattern", "a known kind of mistake in IM clients and servers, `P1` to `P20`; `help P6` prints one"),
    ]

    private static let logins = [
        Term("credential", "a token or a password; a session contains only its name"),
        Term("verdict", "the result of checking a credential"),
        Term("login mode", "manual, automatic, forced, offline, resume or guest"),
        Term("autologin", "a login that the SDK starts when the app starts"),
        Term("resume", "a login that continues one whose connection broke; it never outranks a newer login"),
        Term("epoch", "the number of a login of an account; a newer login has a higher one"),
        Term("exclusion", "the policy that decides which logins of one account exclude each other"),
        Term(
            "slot",
            "the place of one device among the devices that the exclusion policy allows; policy keys say `place`"),
        Term("kick", "the end of a login by another login, another device or an operator"),
        Term("pending kick", "a kick that the device has not confirmed; the server delivers it at the next login"),
        Term("ban", "an operator's refusal of all logins of an account"),
        Term("presence", "whether a user is online, as the server reports it"),
        Term("presence hold", "how long a silent user still counts as online"),
        Term("sync", "the download of waiting messages and data after a login"),
    ]

    private static let connections = [
        Term("link", "one connection between a client and the server"),
        Term("frame", "one message of the protocol on a link"),
        Term("heartbeat", "a frame that shows that a link works"),
        Term("silence limit", "how long the server waits for a frame before it ends a link"),
        Term("attempt", "one try to connect and log in"),
        Term("backoff", "the increasing delays between attempts"),
        Term("jitter", "the random part of a delay"),
        Term("fault", "a disturbance that a scenario causes, such as `net down`"),
        Term("half-open", "a link that drops all packets, while both ends believe it is open"),
        Term("hold", "a fault that keeps frames of a type back until `net release`"),
        Term("in flight", "sent, and still able to arrive"),
        Term("lost", "sent, and unable to arrive"),
    ]

    private static let data = [
        Term("local data", "a user's data that the device stores"),
        Term("conversation", "the messages between two users or in a group"),
        Term("change", "one modification of a user's data, with a number"),
        Term("change feed", "the numbered changes that the server keeps for a user's devices"),
        Term("operation", "a user's action on one device, which Agora Chat reports to the user's other devices"),
        Term("channel", "a group of present members in RTM"),
        Term("attributes", "names with values of an RTM user or channel"),
        Term("tree", "Wilddog's shared data"),
        Term("path", "the position of a value in the tree"),
        Term("listener", "a registration for the events at a path"),
        Term("listen", "a request of a client for the values of a query; one listen can serve several listeners"),
        Term("pending write", "a write that the server has not acknowledged"),
        Term("transaction", "a write that depends on the value before it, and runs again if that has changed"),
        Term("onDisconnect", "a write that the server makes when a connection ends"),
        Term("security rule", "a rule that sets who may read and write a path"),
    ]

    private static let sessions = [
        Term("session, recording", "a pcapng file with every event of a world"),
        Term("event", "one numbered entry of a session"),
        Term("input", "an event that a machine received: a frame, a command, a timer"),
        Term("effect", "an event that a machine requested: a frame to send, a callback, a result"),
        Term("transition", "a change of a client's state"),
        Term("callback", "a notification that the SDK gives to the app"),
        Term("result", "the completion of a command"),
        Term("machine", "the pure value that implements a client or a server"),
        Term("keyframe", "the stored state of a machine, from which replay can start"),
        Term("replay", "running the inputs of a session again"),
        Term("verify", "checking that replay gives the same effects and states"),
        Term("cause", "the event that led to another one"),
        Term("chain", "the causes of an event, one after the other"),
        Term("what-if", "the same scenario with one change: `mute`, `edit`, `delay`"),
        Term("fork", "a new session that continues from a position in a recording"),
        Term("scenario", "the commands, faults and waits of a session"),
        Term("script", "a scenario as a text file, `.imr`"),
        Term("expectation", "a line of a script that fails if something does not happen"),
        Term("report", "a session with a note and a summary, for someone else"),
        Term("log", "a text file in which an app, an SDK or a system wrote down calls and callbacks"),
        Term("observed session", "a session made from a log; no machine ran in it, so it cannot be replayed"),
        Term("format file", "patterns that describe a log, in JSON as of lnav"),
        Term("redaction", "the replacement of names and texts by pseudonyms"),
        Term("seed", "the number from which everything random in a world follows"),
        Term("checker", "code that observes a world and reports a broken rule"),
        Term("quiescence", "the state of a world in which no frame is in flight and nothing changes"),
        Term("branch of a policy", "a policy value with a decision that it caused, such as `exclusion=dual: kicks`"),
        Term("shrink", "to shorten a scenario that still fails"),
        Term("odds", "how often an outcome occurs with other random seeds"),
        Term("variation", "a scenario with a few changes of its times, losses or order"),
    ]

    /// The term with a name; nil if there is none. Ignores case, and `-` matches a space: `pending-kick` finds `pending
    /// kick`.
    package static func term(_ name: String) -> Term? {
        let key = name.lowercased().replacing("-", with: " ")
        return sections.lazy.flatMap(\.terms).first { term in
            term.names.contains { $0.lowercased().replacing("-", with: " ") == key }
        }
    }

    /// The names of all terms.
    package static var names: [String] { sections.flatMap(\.terms).flatMap(\.names) }

    /// The content of `GLOSSARY.md`.
    package static var document: String {
        let head = "# Glossary\n\nOne term for one thing. `imrepl help` uses the same words.\n"
        return sections.reduce(into: head) { text, section in
            text += "\n## \(section.title)\n\n| term | meaning |\n|---|---|\n"
            for term in section.terms { text += "| \(term.name) | \(term.meaning) |\n" }
        }
    }
}
