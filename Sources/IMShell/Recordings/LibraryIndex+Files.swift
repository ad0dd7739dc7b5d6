import Foundation

extension LibraryIndex {
    /// The maximum number of scripts that are read, because `./sessions` may be any large folder.
    private static let scriptsMax = 4000
    private static let scriptBytesMax = 1 << 20

    /// Reads the library: the scripts in `./sessions` and its subfolders. If there are none, the scripts that were
    /// installed with the program.
    package static func find() -> LibraryIndex {
        for folder in ["sessions", Folder.library] {
            let sessions = read(folder)
            if !sessions.isEmpty { return LibraryIndex(sessions) }
        }
        return LibraryIndex()
    }

    private static func read(_ folder: String) -> [Session] {
        guard let walk = FileManager.default.enumerator(atPath: folder) else { return [] }
        var names: [String] = []
        while let name = walk.nextObject() as? String, names.count < scriptsMax {
            if name.hasSuffix(".imr") { names.append(name) }
        }
        return names.sorted().compactMap { name in
            let path = "\(folder)/\(name)"
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            guard let size = attributes?[.size] as? Int, size <= scriptBytesMax,
                let source = try? String(contentsOfFile: path, encoding: .utf8)
            else { return nil }
            return Session(file: path, source: source)
        }
    }
}
