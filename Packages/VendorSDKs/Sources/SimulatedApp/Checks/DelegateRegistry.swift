/// A list of the delegates that an SDK notifies, for checks.
protocol DelegateRegistry: AnyObject {
    /// The living delegates, each with the login during which it was added; nil if it was added outside of a login.
    var notified: [(object: AnyObject, login: Int?)] { get }
}

enum DelegateCheck {
    /// The maximum number of delegates of one class in one list; more are reported.
    static let countMax = 4

    /// Violations in the lists: classes that accumulate because nobody removes them, and delegates that remain after
    /// their login and would be notified of the next one (C-4).
    static func problems(of lists: [any DelegateRegistry]) -> [String] {
        var problems: [String] = []
        for list in lists {
            var classes: [(name: String, logins: [Int?])] = []
            for entry in list.notified {
                let name = "\(type(of: entry.object))"
                if let classIndex = classes.firstIndex(where: { $0.name == name }) {
                    classes[classIndex].logins.append(entry.login)
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
