import Foundation
import PackagePlugin

/// Puts the shadows into a target, beside the app's files, and says what of these files gets around them.
@main
struct ShadowsPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let output = context.pluginWorkDirectoryURL.appending(path: "Shadows.swift")
        let sources = module.sourceFiles(withSuffix: "swift").map(\.url)
        return [
            .buildCommand(
                displayName: "Writing the shadows for \(target.name)",
                executable: try context.tool(named: "ShadowsTool").url,
                arguments: [output.path()] + sources.map { $0.path() },
                inputFiles: sources,
                outputFiles: [output])
        ]
    }
}
