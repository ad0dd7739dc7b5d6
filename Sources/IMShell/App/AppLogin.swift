import Foundation

/// The code of an app that logs in, derived from the app's Swift source.
package struct AppLogin: Equatable, Sendable {
    /// The name of the app's class that logs in.
    package var type: String
    /// An expression that creates the object of this class, or gets the shared one.
    package var instance: String
    /// The call that initializes the SDK; nil if the class has no such method.
    package var setup: String?
    /// The calls that log in and out, on an object with the name `app`. An argument whose value cannot be guessed from
    /// its type is a placeholder `<#Type#>`.
    package var login: String?
    package var logout: String?
    /// The name of a Boolean property that is true while a user is logged in.
    package var loggedInProperty: String?
    /// The name of a property with the state of the login, for the examples in the generated code.
    package var stateProperty: String?

    /// Finds the first class with a method that calls the SDK's login. If there is none, finds the first class with a
    /// method whose name means login, such as `logIn` or `signIn`. Nil if there is neither.
    ///
    /// - Parameters:
    ///   - texts: the contents of the app's files.
    ///   - calls: the texts with which the SDK's login calls begin, such as `login(with`.
    package init?(in texts: [String], calls: [String]) {
        let classes = texts.flatMap(Self.classes)
        let calling = classes.lazy.compactMap { found -> (AppClass, SourceMethod)? in
            let method = found.methods.first { method in
                !method.isPrivate && calls.contains { Self.hasCall($0, in: method.body) }
            }
            return method.map { (found, $0) }
        }.first
        let named = classes.lazy.compactMap { found -> (AppClass, SourceMethod)? in
            let methods = found.methods.filter { !$0.isPrivate && Self.isNamed("in", $0.name) }
            // A method whose arguments are all known is preferred to one that needs a closure or a placeholder.
            let complete = methods.first { !$0.call.contains("{") && !$0.call.contains("<#") }
            return (complete ?? methods.first).map { (found, $0) }
        }.first
        guard let (owner, method) = calling ?? named else { return nil }
        type = owner.name
        instance = Self.instance(of: owner)
        login = method.call
        logout = owner.methods.first { !$0.isPrivate && Self.isNamed("out", $0.name) }?.call
        setup =
            owner.methods.first { candidate in
                !candidate.isPrivate && candidate.name != method.name
                    && ["initializeSDK(", "register(with", "ZIM.create("].contains { candidate.body.contains($0) }
            }?.call
        let body = owner.body
        loggedInProperty = body.firstMatch(
            of: #/var\s+(\w*(?:[lL]og(?:ged|ined|in|on)|[oO]nline|[cC]onnected)\w*)\s*(?:=\s*(?:false|true)|:\s*Bool)/#
        ).map { String($0.output.1) }
        stateProperty =
            body.firstMatch(of: #/var\s+(\w*(?:[sS]tate|[sS]tatus|[pP]hase))\s*[:=]/#).map { String($0.output.1) }
    }

    private static func isNamed(_ direction: String, _ name: String) -> Bool {
        let name = name.lowercased()
        return ["", "do", "start", "user", "im"].contains { prefix in
            name.hasPrefix("\(prefix)log\(direction)") || name.hasPrefix("\(prefix)sign\(direction)")
        }
    }

    /// True if the body contains the call as a method of an object other than `self`.
    private static func hasCall(_ call: String, in body: Substring) -> Bool {
        body.ranges(of: ".\(call)").contains { range in
            let receiver = body[..<range.lowerBound].reversed().prefix { $0.isLetter || $0.isNumber }
            return String(receiver.reversed()) != "self"
        }
    }

    // MARK: Classes

    private struct AppClass {
        var name: String
        var body: Substring
        var methods: [SourceMethod]
    }

    private static func classes(in text: String) -> [AppClass] {
        let classes = text.matches(of: #/(?m)^\s*(?:@\w+\s+)*(?:(?:public|open|final|internal)\s+)*class\s+(\w+)/#)
        return classes.enumerated().map { index, found in
            let end = index + 1 < classes.count ? classes[index + 1].range.lowerBound : text.endIndex
            let body = text[found.range.upperBound..<end]
            return AppClass(name: String(found.output.1), body: body, methods: SourceMethod.all(in: body))
        }
    }

    private static func instance(of owner: AppClass) -> String {
        let shared = owner.body.matches(of: #/static\s+(?:let|var)\s+(\w+)\s*(?::\s*(\w+)|=\s*(\w+)\s*\()/#)
        if let found = shared.first(where: { ($0.output.2 ?? $0.output.3).map(String.init) == owner.name }) {
            return "\(owner.name).\(found.output.1)"
        }
        guard let found = owner.body.firstMatch(of: #/(?m)^\s*(?:public\s+|override\s+)*init\s*\(/#) else {
            return "\(owner.name)()"
        }
        let parameters = owner.body.bracketed(from: owner.body.index(before: found.range.upperBound))
        return "\(owner.name)(\(SourceMethod.arguments(for: parameters)))"
    }
}

/// A method in an app's source.
struct SourceMethod {
    var name: String
    var isPrivate: Bool
    /// A call of the method on an object with the name `app`.
    var call: String
    /// The code between the method's braces.
    var body: Substring

    /// The methods in the body of a class, in order.
    static func all(in text: Substring) -> [SourceMethod] {
        text.matches(of: #/(?m)^([^\n\/]*)\bfunc\s+(\w+)\s*(?:<[^>\n]*>)?\s*\(/#).map { found in
            let parameters = text.bracketed(from: text.index(before: found.range.upperBound))
            let rest = text[parameters.endIndex...]
            let open = rest.firstIndex(of: "{") ?? rest.endIndex
            let words = rest[..<open].split { !$0.isLetter }
            let call = "app.\(found.output.2)(\(arguments(for: parameters)))"
            let hasThrows = words.contains("throws")
            return SourceMethod(
                name: String(found.output.2), isPrivate: found.output.1.contains("private"),
                call: words.contains("async")
                    ? "Task { \(hasThrows ? "try? " : "")await \(call) }" : hasThrows ? "try? \(call)" : call,
                body: open < rest.endIndex ? text.bracketed(from: open) : "")
        }
    }

    /// Arguments for a method's parameters: sample texts and numbers, empty closures, and placeholders for other types.
    static func arguments(for parameters: Substring) -> String {
        parameters.splitOutsideBrackets(at: ",").compactMap { parameter -> String? in
            let halves = parameter.split(separator: ":", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            guard halves.count == 2, !halves[1].replacing("==", with: "").contains("=") else { return nil }
            let label = halves[0].split(separator: " ").first.map(String.init) ?? "_"
            return (label == "_" ? "" : "\(label): ") + argument(halves[1], named: halves[0].lowercased())
        }.joined(separator: ", ")
    }

    private static func argument(_ type: String, named name: String) -> String {
        if ["String", "String?", "String!"].contains(type) {
            if name.contains("appkey") || name.contains("appid") { return "\"org#app\"" }
            let isSecret = ["token", "pass", "pwd", "key", "sign"].contains { name.contains($0) }
            return isSecret ? "token" : "\"alice\""
        }
        if type.hasSuffix("?") { return "nil" }
        if type == "Bool" { return "false" }
        if ["Int", "UInt", "Double", "TimeInterval"].contains(type) { return "0" }
        if let closure = emptyClosure(type) { return closure }
        return "<#\(type)#>"
    }

    /// An empty closure for a function type that returns `Void`; nil for other types.
    private static func emptyClosure(_ type: String) -> String? {
        guard let open = type.firstIndex(of: "(") else { return nil }
        let parameters = type[...].bracketed(from: open)
        let rest = type[parameters.endIndex...].dropFirst().trimmingCharacters(in: .whitespacesAndNewlines)
        guard rest.hasSuffix("Void") || rest.hasSuffix("()"), rest.contains("->") else { return nil }
        let count = parameters.allSatisfy(\.isWhitespace) ? 0 : parameters.splitOutsideBrackets(at: ",").count
        return count == 0 ? "{}" : "{ \(Array(repeating: "_", count: count).joined(separator: ", ")) in }"
    }
}

extension Substring {
    /// The text between the bracket at `open` and its closing bracket.
    fileprivate func bracketed(from open: Index) -> Substring {
        var depth = 0
        var index = open
        while index < endIndex {
            if "({[".contains(self[index]) { depth += 1 }
            if ")}]".contains(self[index]) { depth -= 1 }
            if depth == 0 { break }
            index = self.index(after: index)
        }
        return self[self.index(after: open)..<Swift.max(index, self.index(after: open))]
    }

    fileprivate func splitOutsideBrackets(at separator: Character) -> [Substring] {
        var parts: [Substring] = []
        var depth = 0
        var start = startIndex
        for index in indices {
            if "({[".contains(self[index]) { depth += 1 }
            if ")}]".contains(self[index]) { depth -= 1 }
            if depth == 0, self[index] == separator {
                parts.append(self[start..<index])
                start = self.index(after: index)
            }
        }
        return parts + (start < endIndex ? [self[start...]] : [])
    }
}
