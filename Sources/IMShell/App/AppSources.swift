import Foundation

/// The files in an app's folder that import a vendor's SDK, and the app's code that logs in.
package struct AppSources {
    /// A vendor's SDK for which Packages/VendorSDKs has a simulated module.
    package struct Vendor: Equatable, Sendable {
        /// The name of the module that an app imports, which is also the name of the product in Packages/VendorSDKs.
        package var module: String
        /// Other modules of the same product that an app may import instead of `module`.
        package var otherModules: [String] = []
        package var profile: String
        /// The texts with which the SDK's login calls begin.
        package var loginCalls: [String]
        /// The prefixes of the SDK's type names.
        package var prefixes: [String] = []
        /// The later version of the SDK in the same module; nil if there is none.
        package var laterVersion: LaterVersion?
    }

    /// A later version of an SDK. It is recognized by a type that only this version has.
    package struct LaterVersion: Equatable, Sendable {
        package var type: String
        package var profile: String
    }

    package static let vendors = [
        Vendor(module: "NIMSDK", profile: "nim", loginCalls: ["login(", "autoLogin("], prefixes: ["NIM", "V2NIM"]),
        Vendor(module: "ZIM", profile: "zim", loginCalls: ["login(with", "login("], prefixes: ["ZIM"]),
        Vendor(module: "AgoraChat", profile: "agora-chat", loginCalls: ["login(with"], prefixes: ["AgoraChat"]),
        Vendor(module: "HyphenateChat", profile: "agora-chat", loginCalls: ["login(with"], prefixes: ["EM", "IEM"]),
        Vendor(
            module: "AgoraRtmKit", profile: "agora-rtm", loginCalls: ["login("], prefixes: ["AgoraRtm"],
            laterVersion: LaterVersion(type: "AgoraRtmClientKit", profile: "agora-rtm@2")),
        Vendor(module: "WilddogSync", profile: "wilddog", loginCalls: treeLogins, prefixes: ["WDG"]),
        Vendor(module: "Wilddog", profile: "wilddog", loginCalls: treeLogins, prefixes: ["WDG"]),
        Vendor(
            module: "Firebase", otherModules: ["FirebaseAuth", "FirebaseDatabase"], profile: "wilddog",
            loginCalls: treeLogins),
    ]

    private static let treeLogins = ["signIn(with", "signInAnonymously("]

    /// Paths of the files that import the vendor's SDK, in order.
    package let files: [String]
    package private(set) var vendor: Vendor
    /// The app's code that logs in; nil if no class has a login method.
    package let login: AppLogin?
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
        login = AppLogin(in: self.texts, calls: vendor.loginCalls)
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
}
