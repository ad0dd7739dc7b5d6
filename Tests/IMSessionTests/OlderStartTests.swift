import Foundation
import IMClient
import IMProfiles
import IMProtocol
import IMServer
import SansIO
import Testing

@testable import IMSession

/// Recordings of older versions can be shown, although policies have new fields now.
@Suite struct OlderStartTests {
    private static let bodies: [StartRecord.Body] = [
        .server(ServerMachine(policy: NIMDialect().serverPolicy, epochMilliseconds: 7)),
        .client(
            policy: NIMDialect().clientPolicy, device: Device(id: "phone-1", platform: .ios), local: LocalData(),
            seed: .max, firstConnection: ConnectionID(3), nonce: 5),
    ]

    @Test(arguments: bodies)
    func `missing fields have their default`(body: StartRecord.Body) throws {
        let json = String(decoding: try CanonicalJSON.encode(body), as: UTF8.self)
        let older = json.replacing(#/"attributeValueBytesMax":[0-9]+,/#, with: "")
        try #require(older != json)
        let read = try StartRecord.Body.read(Array(older.utf8))
        #expect(read == body)
    }

    /// The text of an enum case is not checked for the fields of another case.
    @Test func `a value of the tree is unchanged`() throws {
        let json = String(decoding: try CanonicalJSON.encode(Self.bodies[0]), as: UTF8.self)
        let tree = json.replacing("\"root\":{\"null\":{}}", with: "\"root\":{\"text\":{\"_0\":\"here\"}}")
        let older = tree.replacing(#/"attributeValueBytesMax":[0-9]+,/#, with: "")
        try #require(tree != json && older != tree)
        #expect(try StartRecord.Body.read(Array(older.utf8)) == StartRecord.Body.read(Array(tree.utf8)))
    }

    @Test func `a start without a node is refused`() {
        for json in ["", "{}", "[]", "{\"client\":3}", "{\"server\":{\"_0\":{\"policy\":[]}}}"] {
            #expect(throws: RecordError.self) { try StartRecord.Body.read(Array(json.utf8)) }
        }
    }
}
