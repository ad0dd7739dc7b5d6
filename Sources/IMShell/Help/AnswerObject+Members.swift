// The members of those kinds of JSON object that have the most members.

import IMExport
import IMText

extension AnswerObject.Kind {
    static var whyMembers: [AnswerObject.Member] {
        [
            .init("event", "number", "the explained event"),
            .init("chain", "list", "the numbers of the events that caused it, itself first"),
            .init("decided", "list", "the causes of the decision, for a kick that was delivered late; otherwise empty"),
            .init("cause", "number", "the external event", isRequired: false),
            .init("what", "text", "a description of that event, or where the recording ends"),
            .init("also", "list", "the numbers of earlier events that would also have caused it"),
            .init("rules", "list", "ids of the rules that decided, as in 'help rules'"),
            .init("values", "list", "the policy values that decided, such as exclusion=single"),
            .init(
                "steps", "list",
                "the events of chain and decided as objects: n, t, node, kind, text, and optionally how (it caused the "
                    + "event before), next (the event that caused it), repeats"),
            .init(
                "rule", "object", "the rule that decided: id, ids, text, values by name; null if none is known"),
            .init(
                "lost", "number", "the event that started the login which the kick ended", isRequired: false),
        ]
    }

    static var stateMembers: [AnswerObject.Member] {
        [
            .init("n", "number", "the position"), .init("t", "number", "its time in nanoseconds"),
            .init("node", "text", "the node"), .init("state", "text", "the name of the state"),
            .init("user", "text", "the logged-in user of a client", isRequired: false),
            .init("device", "text", "the device id of a client", isRequired: false),
            .init("platform", "text", "the device platform of a client", isRequired: false),
            .init("timers", "list", "objects: name, at and in (nanoseconds)"),
            .init("fields", "object", "the values of the summary, by name"),
            .init("machine", "object", "with --json: the whole state", isRequired: false),
        ]
    }

    static var timelineMembers: [AnswerObject.Member] {
        [
            .init("from", "number", "nanoseconds"), .init("to", "number", "nanoseconds"),
            .init("n", "number", "in a replay: the position", isRequired: false),
            .init(
                "clients", "list",
                "objects: node, and its changes: n and wall (not always), t, and state, which is null while the app "
                    + "is not running"),
            .init("marks", "list", "kicks, faults and marks as objects: n and wall (not always), t, kind"),
        ]
    }

    static var tokenMembers: [AnswerObject.Member] {
        [
            .init("kind", "text", "the vendor and the version, such as agora-007"),
            .init("app", "text", "the app id or app key", isRequired: false),
            .init("user", "text", "the user", isRequired: false),
            .init("use", "text", "app (for the REST API) or user (for a login)", isRequired: false),
            .init("now", "number", "the time of the check; times are in seconds since 1970"),
            .init("issued", "number", "the time of issue", isRequired: false),
            .init("expires", "number", "the time of expiry", isRequired: false),
            .init(
                "services", "list",
                "objects: name, user and channel (not always), and privileges, objects with name and expires (not "
                    + "always)"),
            .init("details", "object", "other values of this kind of token, by name"),
            .init("signature", "text", "valid, wrong or not-checked"),
            .init("mistakes", "list", "objects: code, such as expired, and text; empty if none was found"),
        ]
    }

    static var helpMembers: [AnswerObject.Member] {
        [
            .init("about", "text", "the query, in one line; empty for all"),
            .init("text", "text", "the help text, which may have several lines"),
            .init("summary", "text", "one line, for a command", isRequired: false),
            .init("usage", "text", "the usage of a command", isRequired: false),
            .init("examples", "list", "example lines of a command", isRequired: false),
            .init("commands", "list", "objects: name, summary", isRequired: false),
            .init(
                "settings", "list",
                "for 'help policy', objects: policy, profile, value, takes, meaning, and source, which is documented, "
                    + "measured or assumed",
                isRequired: false),
            .init(
                "entries", "list",
                "the meanings of a code, callback, value, state or other word as objects: system, profile (not always), "
                    + "lines, rules (ids), sessions",
                isRequired: false),
            .init(
                "sessions", "list",
                "the sessions of the library that demonstrate a rule: file, title, profile, rules", isRequired: false),
        ] + referenceMembers
    }

    /// The members that only 'imrepl help --json' prints.
    private static var referenceMembers: [AnswerObject.Member] {
        [
            ("program", "the commands of the terminal; like commands: name, summary, usage, examples, arguments"),
            ("topics", "name, summary"),
            ("codes", "profile, number, name, meanings (meaning, advice if there is one, calls)"),
            ("callbacks", "profile, name, fields (name, values)"),
            ("states", "name, names (by profile)"),
            ("rules", "id, system, text, details (not always), built, sessions (files)"),
            ("policies", "of a server: policy, takes, meaning, defaults (by profile)"),
            ("terms", "of the glossary: name, summary"), ("frames", "texts"), ("faults", "texts"),
            ("fields", "of events: name, summary"),
        ].map { .init($0, "list", "of 'imrepl help --json': \($1)", isRequired: false) }
    }

    static var whyNotMembers: [AnswerObject.Member] {
        [
            .init("condition", "text", "the condition as it was typed"),
            .init("node", "text", "the client of the query; missing for all clients", isRequired: false),
            .init("position", "number", "the last event that was checked"),
            .init("holds", "boolean", "true if it happened and, if it is a state, still lasts"),
            .init("happened", "number", "the newest event that matches", isRequired: false),
            .init("ended", "number", "the event that ended the state", isRequired: false),
            .init(
                "nearest", "object", "the nearest event: n, t, node, kind, text, lacks (a list)",
                isRequired: false),
            .init(
                "frames", "list",
                "frames that did not arrive: n, t, node, kind, text, delivery, decisive, fault (an event's number)"),
            .init("kicks", "list", "kicks that the server has not delivered: user, device, reason, decided, sent"),
            .init("tolerated", "number", "a login of the same user that ended no other login", isRequired: false),
            .init(
                "clients", "list",
                "objects: node, state, timers (name, at, in), faults (events since which it cannot reach the server)"),
            .init(
                "timer", "object", "the timer that will cause it, if nothing arrives before: node, name, at",
                isRequired: false),
            .init("rule", "object", "the rule that decided: id, ids, text, values by name; null if none is known"),
            .init("later", "number", "the first matching event after the position", isRequired: false),
            .init("blocker", "text", "the reason why it did not happen", isRequired: false),
        ]
    }

    static var whatIfMembers: [AnswerObject.Member] {
        [
            .init("change", "text", "mute, edit or delay"), .init("event", "number", "the changed event"),
            .init("field", "text", "of edit: the field", isRequired: false),
            .init("value", "text", "of edit: the new value", isRequired: false),
            .init("delay", "number", "of delay: the delay in nanoseconds", isRequired: false),
            .init("outcome", "text", "same or other"),
            .init(
                "difference", "object", "the first difference: node, was and is (objects: t, kind, text)",
                isRequired: false),
            .init(
                "clients", "list",
                "objects: node, the states at the end (was, is), and the removed and added states and callbacks"),
            .init("skipped", "list", "commands that were no longer possible: n, reason"),
            .init("asleep", "number", "a command that was given while the app slept", isRequired: false),
            .init("recording", "text", "the file of --record", isRequired: false),
        ]
    }
}

extension AnswerObject.Kind {
    /// The JSON Schema of an object of this kind.
    package var jsonSchema: String {
        let properties = members.map { member in
            let type =
                switch member.type {
                case "text": "\"string\""
                case "list": "\"array\""
                case "object": "[\"object\",\"null\"]"
                default: "\"\(member.type)\""
                }
            return "\(EventObject.quote(member.name)):{\"type\":\(type),"
                + "\"description\":\(EventObject.quote(member.meaning))}"
        }
        let required = (["schema", "type"] + members.filter(\.isRequired).map(\.name)).map(EventObject.quote)
        return "{\"type\":\"object\",\"properties\":{\(properties.joined(separator: ","))},"
            + "\"required\":[\(required.joined(separator: ","))]}"
    }
}
