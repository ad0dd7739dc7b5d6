/// Who is told by an SDK, for a look from outside.
protocol DelegateCensus: AnyObject {
    /// Those that are alive, with the login during which each was added; nil for one from before it or after.
    var told: [(object: AnyObject, login: Int?)] { get }
}

enum DelegateCheck {
    /// So many of one class in one list are too many.
    static let countMax = 4

    /// What is wrong with who is told: classes that pile up because nobody removes them, and delegates that a login left
    /// behind, which are told of the next (C-4).
    static func problems(of lists: [any DelegateCensus]) -> [String] {
        var problems: [String] = []
        for list in lists {
            var classes: [(name: String, logins: [Int?])] = []
            for entry in list.told {
                let name = "\(type(of: entry.object))"
                if let place = classes.firstIndex(where: { $0.name == name }) {
                    classes[place].logins.append(entry.login)
                } else {
                    classes.append((name, [entry.login]))
                }
            }
            for (name, logins) in classes {
                if logins.count > countMax { problems.append("delegates pile up: \(logins.count) of \(name) are told") }
                if Set(logins.compactMap(\.self)).count > 1 {
                    problems.append("a delegate that an earlier login left behind is told still: \(name)")
                }
            }
        }
        return problems.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
