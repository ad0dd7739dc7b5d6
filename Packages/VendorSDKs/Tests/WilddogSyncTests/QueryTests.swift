import Foundation
import SimulatedApp
import Testing
import WilddogSync

@MainActor
@Suite struct QueryTests {
    private static let people: [String: Any] = [
        "ann": ["age": 30, "name": ["first": "Ann"]], "bob": ["age": 20, "name": ["first": "Bob"]],
        "carl": ["age": 20], "dora": ["name": ["first": "Dora"]],
    ]

    private func keys(_ snapshot: WDGDataSnapshot) -> String {
        snapshot.children.compactMap { ($0 as? WDGDataSnapshot)?.key }.joined(separator: " ")
    }

    @Test func returnsItsResult() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try await device.run {
                try await app.child("people").setValue(Self.people)
                try await app.child("n").setValue(["a": true, "b": 3, "c": "x", "d": ["e": 1], "10": 2, "9": 1])
            }
            let people = try device.perform { app.child("people") }
            let n = try device.perform { app.child("n") }
            let expected: [(WDGSyncQuery, String)] = try device.perform {
                [
                    (people.queryOrdered(byChild: "age"), "dora bob carl ann"),
                    (people.queryOrdered(byChild: "name/first").queryLimited(toLast: 2), "bob dora"),
                    (people.queryOrdered(byChild: "age").queryEqual(toValue: 20), "bob carl"),
                    (people.queryOrdered(byChild: "age").queryEqual(toValue: 20, childKey: "carl"), "carl"),
                    (people.queryOrdered(byChild: "age").queryStarting(atValue: 20, childKey: "carl"), "carl ann"),
                    (people.queryOrdered(byChild: "age").queryEnding(atValue: 20), "dora bob carl"),
                    (people.queryOrdered(byChild: "age").queryEqual(toValue: nil), "dora"),
                    (n.queryOrderedByKey(), "9 10 a b c d"),
                    (n.queryOrderedByKey().queryStarting(atValue: "a").queryEnding(atValue: "b"), "a b"),
                    (n.queryOrderedByValue(), "a 9 10 b c d"),
                    (n.queryOrderedByValue().queryStarting(atValue: 2).queryLimited(toFirst: 2), "10 b"),
                    (n.queryOrderedByPriority().queryLimited(toFirst: 1), "9"),
                ]
            }
            for (query, keys) in expected {
                let found = try await device.run {
                    self.keys(await query.observeSingleEventAndPreviousSiblingKey(of: .value).0)
                }
                #expect(found == keys)
            }
        }
    }

    @Test func aWindowMoves() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try await device.run {
                try await app.child("n").setValue(["a": 1, "b": 2, "c": 3])
                app.observe(app.child("n").queryOrderedByValue().queryLimited(toLast: 2), .childAdded, .childRemoved)
            }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["childAdded b=2", "childAdded c=3 after b"])
            app.forget()
            try await device.run { try await app.child("n/c").removeValue() }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["childRemoved c=3", "childAdded a=1"])
        }
    }

    @Test func aQueryThatTheVendorForbidsIsAViolation() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("wilddog", report: { violations = $0.violations }) { simulation in
            let (device, app) = try phone(in: simulation)
            try device.perform {
                let n = app.child("n")
                let byKey = n.queryOrderedByKey()
                #expect(byKey.queryOrderedByValue() === byKey)
                #expect(byKey.queryStarting(atValue: 3) === byKey)
                #expect(byKey.queryStarting(atValue: "a", childKey: "b") === byKey)
                let byPriority = n.queryOrderedByPriority()
                #expect(byPriority.queryOrderedByKey() === byPriority)
                let first = n.queryLimited(toFirst: 1)
                #expect(first.queryLimited(toLast: 1) === first)
                #expect(n.queryLimited(toLast: 0) === n)
                let from = n.queryOrderedByValue().queryStarting(atValue: 1)
                #expect(from.queryStarting(atValue: 2) === from)
                #expect(from.queryEqual(toValue: 2) === from)
                #expect(from.queryEnding(atValue: ["a": 1]) === from)
                #expect(n.queryOrdered(byChild: "a.b") === n)
                let bounded = n.queryEnding(atValue: 2)
                #expect(bounded.queryOrderedByKey() === bounded)
            }
        }
        #expect(violations.count == 11)
        #expect(violations.allSatisfy { $0.rule == "SYNC-4" && $0.text.hasSuffix("at /n") })
    }
}
