import Foundation
import IMClient
import IMProfiles
import IMProtocol
import IMServer
import SansIO
import Testing

@testable import IMSession

/// Recordings of older versions can be looked at, whatever has come to the policies since.
@Suite struct OlderStartTests {
    private static let bodies: [StartRecord.Body] = [
        .server(ServerMachine(policy: NIMDialect().serverPolicy, epochMilliseconds: 7)),
        .client(
            policy: NIMDialect().clientPolicy, device: Device(id: "phone-1", platform: .ios), local: LocalData(),
            seed: .max, firstConnection: ConnectionID(3), nonce: 5),
    ]

    @Test(arguments: bodies)
    func `what is not there yet has its default`(body: StartRecord.Body) throws {
        let json = String(decoding: try CanonicalJSON.encode(body), as: UTF8.self)
        let older = json.replacing(#/"attributeValueBytesMax":[0-9]+,/#, with: "")
        try #require(older != json)
        let read = try StartRecord.Body.read(Array(older.utf8))
        #expect(read == body)
    }

    /// What is in a case of an enum lacks nothing of what is in another case.
    @Test func `a value of the tree stays what it is`() throws {
        let json = String(decoding: try CanonicalJSON.encode(Self.bodies[0]), as: UTF8.self)
        let tree = json.replacing("\"root\":{\"null\":{}}", with: "\"root\":{\"text\":{\"_0\":\"here\"}}")
        let older = tree.replacing(#/"attributeValueBytesMax":[0-9]+,/#, with: "")
        try #require(tree != json && older != tree)
        #expect(try StartRecord.Body.read(Array(older.utf8)) == StartRecord.Body.read(Array(tree.utf8)))
    }

    @Test func `what says nothing of a node is refused`() {
        for json in ["", "{}", "[]", "{\"client\":3}", "{\"server\":{\"_0\":{\"policy\":[]}}}"] {
            #expect(throws: RecordError.self) { try StartRecord.Body.read(Array(json.utf8)) }
        }
    }
}
