import Foundation
import SansIO
import TestSupport
import Testing

@testable import IMShell
@testable import IMTokens

/// Tests with tokens that are changed as text or within their encoding. Each is explained or refused, and no answer
/// contains the token.
@Suite struct TokenFuzzTests {
    @Test func everyTokenIsReadToItsEnd() {
        var readCount = 0
        for seed in FuzzCases.seeds(5000) {
            FuzzCases.attempt("tokens", seed: seed)
            var random = SeededRandom(seed: seed)
            let token = mutated(random.pick(TokenVectors.all), &random)
            var context = TokenContext(now: Int64(bitPattern: random.pick(Extremes.integers)))
            if random.isOne(in: 2) {
                context.secret = Array(TokenVectors.zegoSecret.utf8)
                (context.app, context.user, context.channel, context.clientID) = ("a", "alice", "room", "id")
            }
            if random.isOne(in: 4) {
                let time = Int64(bitPattern: random.pick(Extremes.integers))
                context.logins = [.init(event: .max, time: time, user: "alice")]
            }
            do throws(TokenError) {
                let facts = try TokenFacts(reading: token, context)
                let report = TokenReport(facts: facts, context: context)
                let texts = report.lines + [report.object.json]
                #expect(token.utf8.count < 20 || !texts.contains { $0.contains(token) }, "seed \(seed)")
                readCount += 1
            } catch {
                #expect(token.utf8.count < 20 || !error.description.contains(token), "seed \(seed)")
            }
        }
        FuzzCases.end()
        #expect(readCount > 500)
    }

    private func mutated(_ token: String, _ random: inout SeededRandom) -> String {
        if random.isOne(in: 3) { return String(decoding: changed(Array(token.utf8), &random), as: UTF8.self) }
        let parts = token.split(separator: ".").map(String.init)
        if parts.count == 3 {
            return parts.map { random.isOne(in: 2) ? recoded($0, drops: 0, &random) : $0 }.joined(separator: ".")
        }
        let head = token.hasPrefix("006") ? 35 : token.hasPrefix("007") ? 3 : token.hasPrefix("0") ? 2 : 0
        return recoded(token, drops: token.hasPrefix("YWMt") ? 4 : head, &random)
    }

    /// Changes the bytes that are encoded in Base64, and decompresses them first if they are compressed with zlib.
    private func recoded(_ text: String, drops count: Int, _ random: inout SeededRandom) -> String {
        let body = text.dropFirst(count)
        guard var bytes = try? TokenBytes.base64(body, written: "*-_", standard: "+/=") else { return text }
        if bytes.first != 0x78, let other = try? TokenBytes.base64(body) { bytes = other }
        if let plain = try? TokenBytes.inflated(bytes) {
            bytes = stored(changed(plain, &random))
        } else {
            bytes = changed(bytes, &random)
        }
        return text.prefix(count) + Data(bytes).base64EncodedString()
    }

    private func changed(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        for _ in 0...random.below(3) where !bytes.isEmpty {
            let index = Int(random.below(UInt64(bytes.count)))
            switch random.below(5) {
            case 0: bytes[index] ^= 1 << UInt8(random.below(8))
            case 1: bytes[index] = UInt8(random.below(256))
            case 2: bytes.removeSubrange(index...)
            case 3: bytes.insert(contentsOf: bytes[..<index].suffix(8), at: index)
            default:
                bytes.replaceSubrange(
                    index..<min(index + 1, bytes.count), with: "\(random.pick(Extremes.integers))".utf8)
            }
        }
        return bytes
    }

    /// The bytes in zlib's format, as one block that is not compressed (RFC 1950, and RFC 1951 section 3.2.4).
    private func stored(_ bytes: [UInt8]) -> [UInt8] {
        let bytes = bytes.prefix(0xFFFF)
        let count = UInt16(bytes.count)
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        let lengths = [count, ~count].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let sum = [high, low].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        return [0x78, 0x9C, 1] + lengths + bytes + sum
    }
}
