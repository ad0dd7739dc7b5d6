import IMClient
import IMProtocol
import IMSession
import IMTree

/// Two listeners of one client at one place see the same: what a query gives is what it gives of all that another
/// listener is shown there (SYNC-4).
enum TreeWindowOracle {
    static func fault(of client: ClientMachine) -> Violation? {
        let views = client.treeViews
        for whole in views where whole.query.loadsAllData {
            guard let all = whole.known else { continue }
            for window in views where window.path == whole.path && !window.query.loadsAllData {
                guard let known = window.known else { continue }
                let given = all.given(by: window.query)
                guard known != given else { continue }
                return Violation(
                    .tree, "SYNC-4", "two listeners at one place see different things",
                    "\(known) for \(window.query) at '\(whole.path.text)', not \(given)")
            }
        }
        return nil
    }
}
