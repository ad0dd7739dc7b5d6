import Foundation
import SimulatedApp
import Testing
import WilddogSync

/// The values that an app can write and read.
@MainActor
@Suite struct ValueTests {
    private func written(_ value: Any?) async throws -> String {
        let box = Box()
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            nonisolated(unsafe) let value = value
            box.text = try await device.run {
                try await app.child("v").setValue(value)
                return json(await app.child("v").observeSingleEventAndPreviousSiblingKey(of: .value).0.value)
            }
        }
        return box.text
    }

    @Test func leaves() async throws {
        #expect(try await written(nil) == "null")
        #expect(try await written(NSNull()) == "null")
        #expect(try await written(true) == "true")
        #expect(try await written(NSNumber(value: false)) == "false")
        #expect(try await written(1) == "1")
        #expect(try await written(NSNumber(value: 1)) == "1")
        #expect(try await written(UInt8(7)) == "7")
        #expect(try await written(Float(1.5)) == "1.5")
        #expect(try await written("text" as NSString) == "\"text\"")
        #expect(try await written(Optional("x") as Any) == "\"x\"")
    }

    @Test func listsAndDictionaries() async throws {
        #expect(try await written([1, 2]) == "[1,2]")
        #expect(try await written(NSArray(array: ["a", NSNull(), true])) == "[\"a\",null,true]")
        #expect(try await written(["a": nil, "b": Optional(1)] as [String: Int?]) == "{\"b\":1}")
        #expect(try await written(NSDictionary(dictionary: ["k": NSDictionary()])) == "null")
        // A dictionary is an array if its keys are indices and more than half of the indices from 0 on are used.
        #expect(try await written(["0": "a", "2": "c"]) == "[\"a\",null,\"c\"]")
        #expect(try await written(["0": "a", "5": "c"]) == "{\"0\":\"a\",\"5\":\"c\"}")
        #expect(try await written(["1": "a", "x": "c"]) == "{\"1\":\"a\",\"x\":\"c\"}")
        #expect(try await written([".value": 5, ".priority": "p"]) == "5")
        #expect(try await written(["a": ["b": ["c": ["d": 1.25]]]]) == "{\"a\":{\"b\":{\"c\":{\"d\":1.25}}}}")
    }

    @Test func castsFollowFoundation() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            let snapshot = try await device.run {
                try await app.child("v").setValue(["n": 5, "x": 1.5, "t": true, "s": "a", "d": ["k": 1]])
                return await app.child("v").observeSingleEventAndPreviousSiblingKey(of: .value).0
            }
            #expect(snapshot.exists())
            #expect(snapshot.hasChildren())
            #expect(snapshot.childrenCount == 5)
            #expect(snapshot.hasChild("d/k"))
            #expect(!snapshot.hasChild("d/l"))
            #expect(!snapshot.childSnapshot(forPath: "nothing").exists())
            #expect(snapshot.childSnapshot(forPath: "nothing").value == nil)
            let value = try #require(snapshot.value as? [String: Any])
            #expect(value["n"] as? Int == 5)
            #expect(value["n"] as? Double == 5)
            #expect((value["n"] as? NSNumber)?.intValue == 5)
            #expect(value["x"] as? Double == 1.5)
            #expect(value["x"] as? Int == nil)
            #expect(value["t"] as? Bool == true)
            #expect(value["s"] as? String == "a")
            #expect(value["d"] as? [String: Int] == ["k": 1])
            #expect((snapshot.value as? NSDictionary)?.count == 5)
            #expect(snapshot.childSnapshot(forPath: "d").ref.url == "https://samplechat.wilddogio.com/v/d")
        }
    }
}

/// Used only on the job thread of virtual time.
private final class Box: @unchecked Sendable {
    var text = ""
}
