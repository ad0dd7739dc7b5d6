import Crypto
import NIOCore

/// A client's request for a WebSocket (RFC 6455, 4.1), as far as a server looks at it.
struct UpgradeRequest {
    /// Path and query, as they stand in the request.
    var target: String
    /// What the client wants to see an answer to; nil for a request for something else.
    var key: String?

    /// A request with its headers may have so many bytes.
    static let bytesMax = 16 << 10

    /// - Parameter head: everything before the empty line.
    /// - Returns: nil for what is no HTTP.
    init?(_ head: ByteBufferView) {
        let lines = head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }
        guard let first = lines.first else { return nil }
        let words = first.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, words[2].starts(with: "HTTP/1.".utf8), !words[1].isEmpty,
            let target = String(validating: words[1], as: UTF8.self)
        else { return nil }
        self.target = target

        var (upgrades, connects, version) = (false, false, "")
        var keys: [String] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let value = String(decoding: line[line.index(after: colon)...], as: UTF8.self).trimmed
            switch String(decoding: line[..<colon], as: UTF8.self).lowercased() {
            case "upgrade": upgrades = upgrades || Self.holds("websocket", value)
            case "connection": connects = connects || Self.holds("upgrade", value)
            case "sec-websocket-version": version = value
            case "sec-websocket-key": keys.append(value)
            default: break
            }
        }
        guard words[0].elementsEqual("GET".utf8), upgrades, connects, version == "13", keys.count == 1 else { return }
        key = keys[0].isEmpty ? nil : keys[0]
    }

    /// Whether a request can begin with these bytes: with a method.
    static func canBegin(_ bytes: ByteBufferView) -> Bool {
        bytes.first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ?? true
    }

    /// Whether a list has the word in it, whatever its case.
    private static func holds(_ word: String, _ list: String) -> Bool {
        list.lowercased().utf8.split(separator: UInt8(ascii: ",")).contains {
            String(decoding: $0, as: UTF8.self).trimmed == word
        }
    }

    /// What proves that the server has seen the key.
    static func proof(of key: String) -> String {
        base64(Insecure.SHA1.hash(data: Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }

    private static func base64(_ bytes: some Sequence<UInt8>) -> String {
        let signs = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let bytes = Array(bytes)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                let isThere = place <= group.count
                text.append(isThere ? signs[Int(bits >> UInt32(18 - 6 * place) & 63)] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension String {
    /// Without the blanks around it.
    fileprivate var trimmed: String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let rest = utf8.drop(while: isBlank)
        let length = rest.reversed().drop(while: isBlank).count
        return String(decoding: rest.prefix(length), as: UTF8.self)
    }
}
