import Foundation

/// Programs that were built with the tests.
enum BuiltProgram {
    /// The folder that holds the test bundle and, beside it, every program of the package.
    static var folder: String {
        #if os(macOS)
            let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
            return bundle.bundleURL.deletingLastPathComponent().path
        #else
            return Bundle.main.bundleURL.path
        #endif
    }

    /// Where a program is.
    ///
    /// - Parameter override: the environment variable that names another one.
    static func path(_ name: String, override: String) throws -> String {
        let path = ProcessInfo.processInfo.environment[override] ?? "\(folder)/\(name)"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Terminal.Failure(description: "\(path) is not there; 'swift build --build-tests' builds it")
        }
        return path
    }
}
