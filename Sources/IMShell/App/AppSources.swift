import Foundation

/// The login code in an app's folder: the files that import a vendor's SDK, and a way to log in.
package struct AppSources {
    /// A vendor's SDK with a simulated module in the package.
    package struct Vendor: Equatable, Sendable {
        /// The module's name in an app's import, and the product's in the package.
        package var module: String
        /// Other modules of the product that an app may import instead.
        package var otherModules: [String] = []
        package var profile: String
        /// The prefixes of the names of the SDK's types.
        package var prefixes: [String] = []
        /// A type that only a later version of the SDK has, and the profile of that version.
        package var laterVersion: LaterVersion?
        /// Swift code that is true if the SDK itself is logged in.
        package var isLoggedIn: String
    }

    /// A later version of an SDK in the same module.
    package struct LaterVersion: Equatable, Sendable {
        package var type: String
        package var profile: String
    }

    package static let vendors = [
        Vendor(
            module: "NIMSDK", profile: "nim", prefixes: ["NIM", "V2NIM"],
            isLoggedIn: "NIMSDK.shared().loginManager.isLogined()"),
        Vendor(module: "ZIM", profile: "zim", prefixes: ["ZIM"], isLoggedIn: "false"),
        Vendor(
            module: "AgoraChat", profile: "agora-chat", prefixes: ["AgoraChat"],
            isLoggedIn: "AgoraChatClient.shared().isLoggedIn"),
        Vendor(
            module: "HyphenateChat", profile: "agora-chat", prefixes: ["EM", "IEM"],
            isLoggedIn: "EMClient.shared().isLoggedIn"),
        Vendor(
            module: "AgoraRtmKit", profile: "agora-rtm", prefixes: ["AgoraRtm"],
            laterVersion: LaterVersion(type: "AgoraRtmClientKit", profile: "agora-rtm@2"), isLoggedIn: "false"),
        Vendor(module: "WilddogSync", profile: "wilddog", prefixes: ["WDG"], isLoggedIn: "false"),
        Vendor(module: "Wilddog", profile: "wilddog", prefixes: ["WDG"], isLoggedIn: "false"),
        Vendor(
            module: "Firebase", otherModules: ["FirebaseAuth", "FirebaseDatabase"], profile: "wilddog",
            isLoggedIn: "Auth.auth().currentUser != nil"),
    ]

    /// Swift code that logs in, as far as the app's source shows it.
    package struct Login: Equatable, Sendable {
        package var type: String
        /// Makes the app's object, or gets the existing one.
        package var make: String
        /// Calls of that object.
        package var login: String?
        package var logout: String?
        package var shown: String?
    }

    /// Paths of the files that import the vendor's SDK, in order.
    package let files: [String]
    package private(set) var vendor: Vendor
    /// Nil if no class has a login method.
    package let login: Login?
    /// The texts of ``files``.
    package let texts: [String]

    /// - Throws: ``ShellError`` if no file imports a vendor's SDK.
    package init(folder: String) throws {
        guard let names = FileManager.default.enumerator(atPath: folder) else {
            throw ShellError(message: "there is no folder '\(folder)'", reason: .usage)
        }
        var texts: [(path: String, text: String)] = []
        for case let name as String in names where name.hasSuffix(".swift") {
            let parts = name.split(separator: "/")
            guard !parts.contains(where: { $0.hasPrefix(".") || ["Pods", "Carthage", "Tests"].contains($0) }) else {
                continue
            }
            let path = "\(folder)/\(name)"
            guard let data = FileManager.default.contents(atPath: path) else { continue }
            texts.append((path, String(decoding: data, as: UTF8.self)))
        }
        texts.sort { $0.path < $1.path }
        let counted = Self.vendors.map { vendor in
            let modules = [vendor.module] + vendor.otherModules
            return (vendor: vendor, files: texts.filter { file in modules.contains { Self.imports($0, file.text) } })
        }
        guard let best = counted.max(by: { $0.files.count < $1.files.count }), !best.files.isEmpty else {
            let modules = Self.vendors.map(\.module).joined(separator: ", ")
            throw ShellError(message: "no file in '\(folder)' imports one of \(modules)", reason: .usage)
        }
        vendor = best.vendor
        files = best.files.map(\.path)
        self.texts = best.files.map(\.text)
        login = best.files.compactMap { Self.login(in: $0.text) }.first
        if let later = vendor.laterVersion, best.files.contains(where: { $0.text.contains(later.type) }) {
            vendor.profile = later.profile
        }
    }

    private static func imports(_ module: String, _ text: String) -> Bool {
        text.split(separator: "\n").contains { line in
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            return words.count >= 2 && words[words.count - 2] == "import" && words.last.map(String.init) == module
        }
    }

    // MARK: Login

    private static func login(in text: String) -> Login? {
        let classes = text.matches(of: #/(?m)^\s*(?:@\w+\s+)*(?:(?:public|open|final|internal)\s+)*class\s+(\w+)/#)
        for (place, found) in classes.enumerated() {
            let end = place + 1 < classes.count ? classes[place + 1].range.lowerBound : text.endIndex
            let body = text[found.range.upperBound..<end]
            let name = String(found.output.1)
            guard let login = call(in: body, named: #/func\s+((?:do|start|user|im)?(?:log|sign)in\w*)\s*\(([^)]*)\)/#)
            else {
                continue
            }
            let logout = call(in: body, named: #/func\s+((?:do|start|user|im)?(?:log|sign)out\w*)\s*\(([^)]*)\)/#)
            let shown = body.firstMatch(
                of:
                    #/var\s+(\w*(?:[lL]og(?:ged|ined|in|on)|[oO]nline|[cC]onnected)\w*)\s*(?:=\s*(?:false|true)|:\s*Bool)/#
            )
            return Login(
                type: name, make: make(name, in: body), login: login, logout: logout,
                shown: shown.map { String($0.output.1) })
        }
        return nil
    }

    private static func make(_ name: String, in body: Substring) -> String {
        if let shared = body.firstMatch(of: #/static\s+(?:let|var)\s+(\w+)\s*(?:=|:)/#) {
            return "\(name).\(shared.output.1)"
        }
        guard let parameters = body.firstMatch(of: #/(?m)^\s*(?:public\s+|override\s+)*init\s*\(([^)]*)\)/#)?.output.1,
            let arguments = arguments(for: parameters)
        else { return "\(name)()" }
        return "\(name)(\(arguments))"
    }

    private static func call(
        in body: Substring, named pattern: Regex<(Substring, Substring, Substring)>
    ) -> String? {
        for found in body.matches(of: pattern.ignoresCase()) {
            if let arguments = arguments(for: found.output.2) { return "\(found.output.1)(\(arguments))" }
        }
        return nil
    }

    /// Arguments for texts and for parameters with a default; nil if another value is needed.
    private static func arguments(for parameters: Substring) -> String? {
        var arguments: [String] = []
        for parameter in parameters.split(separator: ",") where !parameter.contains("=") {
            let halves = parameter.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard halves.count == 2, ["String", "String?", "String!"].contains(halves[1]) else { return nil }
            let names = halves[0].split(separator: " ")
            let label = names.first.map(String.init) ?? "_"
            let isSecret = ["token", "pass", "pwd", "key", "sign"].contains { halves[0].lowercased().contains($0) }
            arguments.append((label == "_" ? "" : "\(label): ") + (isSecret ? "token" : "\"alice\""))
        }
        return arguments.joined(separator: ", ")
    }
}
