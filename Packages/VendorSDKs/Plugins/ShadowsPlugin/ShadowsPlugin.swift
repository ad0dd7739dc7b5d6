import Foundation
import PackagePlugin

/// Puts the shadows into a target, beside the app's files, and says what of these files gets around them.
///
/// Files in a folder `App` that the target excludes are compiled as copies without Objective-C.
@main
struct ShadowsPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let work = context.pluginWorkDirectoryURL
        let output = work.appending(path: "Shadows.swift")
        let sources = module.sourceFiles(withSuffix: "swift").map(\.url)
        let folder = target.directoryURL.appending(path: "App")
        let isCompiledAsItIs = sources.contains { $0.path().hasPrefix(folder.path() + "/") }
        var names = Set(sources.map(\.lastPathComponent) + [output.lastPathComponent])
        let copies = (isCompiledAsItIs ? [] : swiftFiles(in: folder)).map { file in
            // The copy names the original in '#sourceLocation'. With the same name, both would have one '#fileID', and
            // the compiler warns of that.
            var name = "Copy-" + file.lastPathComponent
            // Two files of one module need different names.
            while !names.insert(name).inserted { name = "App-" + name }
            return (from: file, to: work.appending(path: name))
        }
        return [
            .buildCommand(
                displayName: "Writing the shadows for \(target.name)",
                executable: try context.tool(named: "ShadowsTool").url,
                arguments: [module.moduleName, output.path(percentEncoded: false)]
                    + sources.map { $0.path(percentEncoded: false) } + ["--copy"]
                    + copies.flatMap { [$0.from.path(percentEncoded: false), $0.to.path(percentEncoded: false)] },
                inputFiles: sources + copies.map(\.from),
                outputFiles: [output] + copies.map(\.to))
        ]
    }

    /// The Swift files of a folder and its folders, also behind symbolic links.
    private func swiftFiles(in folder: URL) -> [URL] {
        let folder = folder.resolvingSymlinksInPath()
        let items = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        return items.sorted { $0.path() < $1.path() }.flatMap { item -> [URL] in
            if item.pathExtension == "swift" { return [item] }
            return item.lastPathComponent.hasPrefix(".") ? [] : swiftFiles(in: item)
        }
    }
}
