import Foundation
import IMShell

// `imrepl app`: the package that tests an app's login code, and the search that runs in it.

extension Program {
    func beginApp(_ request: AppInitRequest) async throws -> Outcome {
        let output = output(request.settings)
        let sources = try AppSources(folder: request.folder)
        guard !FileManager.default.fileExists(atPath: request.target) else {
            throw ShellError(
                message: "'\(request.target)' already exists; give another folder with -o", reason: .environment)
        }
        let modules = try request.modules ?? Self.modulesBesideProgram()
        guard FileManager.default.fileExists(atPath: "\(modules)/Package.swift") else {
            throw ShellError(
                message: "'\(modules)' is not a package; set --modules to Packages/VendorSDKs in a clone of imrepl",
                reason: .usage)
        }
        try Self.makeFolder(request.target)
        let package = AppPackage(sources, modules: RelativePath.from(Self.real(request.target), to: Self.real(modules)))
        for file in package.files {
            let path = "\(request.target)/\(file.path)"
            try Self.makeFolder((path as NSString).deletingLastPathComponent)
            try OutputFile.write(file.text.utf8, to: path, overwrites: false)
        }
        let folder = "\(request.target)/\(AppPackage.appFolder)"
        try Self.makeFolder(folder)
        for path in sources.files {
            let link = "\(folder)/\((path as NSString).lastPathComponent)"
            do {
                try FileManager.default.createSymbolicLink(
                    atPath: link, withDestinationPath: RelativePath.from(Self.real(folder), to: Self.real(path)))
            } catch {
                throw ShellError(
                    message: "'\(link)' cannot be written; two files may have that name",
                    reason: .environment)
            }
        }
        output.line("written: \(request.target), for \(sources.vendor.module) (\(sources.vendor.profile))")
        sources.files.forEach { output.line("  linked: \($0)") }
        if let login = sources.login {
            output.line("  logs in with \(login.type): \(login.instance), \(login.login ?? "login()")")
            if login.loggedInProperty == nil {
                output.line("  found no property that shows a login: replace the placeholders in Explorer.swift")
            }
        } else {
            output.line("  found no class that calls the SDK's login: set it in Explorer.swift")
        }
        let missing = MissingNames(
            texts: sources.texts, prefixes: sources.vendor.prefixes,
            ModuleNames(of: [sources.vendor.module], in: modules))
        if !missing.lines.isEmpty {
            output.line("names that the module \(sources.vendor.module) does not have:")
            missing.lines.forEach { output.line("  \($0)") }
        }
        output.line("next: correct Tests/LoginTests/Explorer.swift, then 'swift test --package-path \(request.target)'")
        output.line("the first build takes some minutes; 'swift test' also searches with 200 seeds")
        output.line("if types of the app are missing, also link their files into App, or write a stub there")
        return .ok
    }

    private static func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }

    private static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw ShellError(message: "the folder '\(path)' cannot be created", reason: .environment)
        }
    }

    /// The folder of the vendor modules in the clone of the repository that contains this program. An installed program
    /// is in no clone.
    private static func modulesBesideProgram() throws -> String {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        if let path = Bundle.main.executablePath { folder = URL(fileURLWithPath: path).resolvingSymlinksInPath() }
        while folder.path.count > 1 {
            folder.deleteLastPathComponent()
            let modules = folder.appendingPathComponent("Packages/VendorSDKs").path
            if FileManager.default.fileExists(atPath: "\(modules)/Package.swift") { return modules }
        }
        throw ShellError(
            message: "the vendor modules are not beside this program; set --modules to Packages/VendorSDKs in a clone",
            reason: .usage)
    }

    func searchApp(_ request: AppSearchRequest) async throws -> Outcome {
        try await onOwnThread {
            try ending(self.output(request.settings)) { try AppSearchRun(request: request, output: $0).run() }
        }
    }
}
