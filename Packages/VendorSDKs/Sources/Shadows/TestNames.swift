/// The names of global and static variables in source files.
public func variableNames(in sources: [String]) -> Set<String> {
    var names: Set<String> = []
    for source in sources {
        let code = SourceCode(source)
        for index in code.bytes.indices where code.hasWord("let", at: index) || code.hasWord("var", at: index) {
            let name = code.text(code.name(at: code.skipSpaces(index + 3)))
            if !name.isEmpty, isShared(code, index) { names.insert(name) }
        }
    }
    return names
}

/// True if a variable is static, or declared at the start of a line, where global ones are.
private func isShared(_ code: SourceCode, _ index: Int) -> Bool {
    var start = index
    while start > 0, code.bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
    if !isSpace(code.bytes[start]) { return true }
    return (start..<index).contains { code.hasWord("static", at: $0) || code.hasWord("class", at: $0) }
}

/// True if a file belongs to the tests, and not to the app.
public func isTestFile(_ source: String) -> Bool {
    source.split(whereSeparator: \.isNewline).contains { line in
        ["Testing", "SimulatedApp", "VirtualTime", "XCTest"].contains { line.hasSuffix("import \($0)") }
    }
}

/// The plug-in's file with information about the target.
///
/// - Parameters:
///   - module: the module's name.
///   - testsNames: names of variables that belong to the tests: they are the same in each process.
public func shadowsText(module: String, testsNames: [String]) -> String {
    shadowsText + """

        /// Marks a module of an app for the simulated processes, each of which has its own variables (`CVirtualTime`). Returns
        /// the names of those that belong to the tests.
        @_cdecl("imrepl_app_module_\(module)")
        public func markAppModule() -> UnsafePointer<CChar> {
            let names: StaticString = "\(testsNames.joined(separator: " "))"
            return UnsafeRawPointer(names.utf8Start).assumingMemoryBound(to: CChar.self)
        }

        """
}
