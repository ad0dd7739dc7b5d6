/// Checks the first bytes of a file: whether the file is a session, and whether this version can read it.
enum SectionHeader {
    /// The maximum length of a section header, in bytes. It contains three texts of limited length.
    private static let lengthMax = 3 * (SessionFormat.textLengthMax + 100) + 64

    /// The version of the file's format.
    ///
    /// - Throws: the reason why the file is not a session that this version can read.
    static func version(of source: ByteSource) throws(SessionError) -> UInt8 {
        guard source.size > 0 else { throw .empty }
        let bytes = try source.read(at: 0, count: Int(min(source.size, UInt64(lengthMax))))
        let magic: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]
        guard bytes.starts(with: magic.prefix(bytes.count)) else { throw .notASession }
        guard bytes.count >= 12 else { throw .cutBeforeHeader(bytes: source.size) }
        switch load32(bytes, 8) {
        case SessionFormat.byteOrderMagic: break
        case SessionFormat.byteOrderMagic.byteSwapped: throw .bigEndian
        default: throw .notASession
        }
        let application = application(bytes)
        guard let application else {
            // The application's name is missing. If the file is shorter than its header, it was probably cut off. Else
            // another program wrote it.
            throw source.size < UInt64(load32(bytes, 4))
                ? .cutBeforeHeader(bytes: source.size)
                : .foreignCapture(application: "")
        }
        guard let version = formatVersion(application) else { throw .foreignCapture(application: application) }
        guard version <= UInt64(SessionFormat.version) else {
            throw .newerFormat(found: version, supported: UInt64(SessionFormat.version))
        }
        let length = load32(bytes, 4)
        if length <= lengthMax, source.size < UInt64(length) { throw .cutBeforeHeader(bytes: source.size) }
        return UInt8(clamping: version)
    }

    /// The value of the option shb_userappl; nil if the bytes do not contain it.
    private static func application(_ bytes: [UInt8]) -> String? {
        let length = Int(load32(bytes, 4))
        var index = 24
        while index + 4 <= min(length, bytes.count) {
            let code = UInt16(truncatingIfNeeded: load32(bytes, index))
            let size = Int(load32(bytes, index) >> 16)
            guard code != SessionFormat.optionEnd, index + 4 + size <= bytes.count else { return nil }
            if code == SessionFormat.sectionApplication {
                return String(decoding: bytes[index + 4..<index + 4 + size], as: UTF8.self)
            }
            index += 4 + SessionFormat.padded(size)
        }
        return nil
    }

    /// The number N at the end of "… (session format N)"; nil if no recorder wrote the file.
    private static func formatVersion(_ application: String) -> UInt64? {
        let mark = Array(SessionFormat.applicationMark.utf8)
        var text = Array(application.utf8)
        guard text.popLast() == UInt8(ascii: ")") else { return nil }
        var digits: [UInt8] = []
        while let digit = text.last, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) {
            digits.insert(digit, at: 0)
            text.removeLast()
        }
        guard text.suffix(mark.count).elementsEqual(mark) else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self))
    }

    private static func load32(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes.withUnsafeBytes { $0.load32(at: offset) }
    }
}
