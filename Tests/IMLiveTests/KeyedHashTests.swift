import Foundation
import Testing

@testable import IMLive

/// The library's functions, with the examples of their standards.
@Suite struct KeyedHashTests {
    @Test func hmacMatchesRFC4231() {
        // Cases 2 and 6: a key shorter than a block, and one longer than that.
        #expect(
            hex(KeyedHash.hmac(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8)))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            hex(
                KeyedHash.hmac(
                    Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                    key: [UInt8](repeating: 0xAA, count: 131)))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
        #expect(
            hex(KeyedHash.hmac([], key: []))
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test func stretchingMatchesRFC7914() {
        #expect(
            KeyedHash.stretched("passwd", salt: Array("salt".utf8), rounds: 1, count: 64).map(hex)
                == "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783")
        for rounds in [0, -1, .max] {
            #expect(KeyedHash.stretched("passwd", salt: Array("salt".utf8), rounds: rounds) == nil)
        }
        #expect(KeyedHash.stretched("", salt: Array("salt".utf8), rounds: 1) == nil)
        #expect(KeyedHash.stretched("passwd", salt: [], rounds: 1) == nil)
    }

    @Test func aTokenMatchesRFC7515() throws {
        // Appendix A.1: its header contains line ends.
        let key: [UInt8] = try #require(Self.key)
        let text =
            "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
            + "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let token = try #require(JSONWebToken(text))
        #expect(token.isSigned(with: key))
        struct Claims: Decodable {
            var iss: String
            var exp: Int
        }
        #expect(token.claims(as: Claims.self)?.iss == "joe")
        #expect(token.claims(as: Claims.self)?.exp == 1_300_819_380)
        #expect(try #require(JSONWebToken(text + "=")).isSigned(with: key) == false)
        #expect(!token.isSigned(with: Array(key.dropLast())))
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private static var key: [UInt8]? {
        let text = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
        let plain = text.replacing("-", with: "+").replacing("_", with: "/") + "=="
        return Data(base64Encoded: plain).map { Array($0) }
    }
}
