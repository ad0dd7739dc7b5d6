/// Splits answers and requests that are too large for one frame into pages. Each page is a frame, and all of them have
/// the same request number.
public enum FramePages {
    /// The maximum length of the items on a page, in bytes. The rest of the frame is for its other fields.
    public static let bytesMax = ProtocolLimit.frameBytesMax / 2
    /// The length of an item in a frame in addition to its text, in bytes.
    static let overhead = 16

    /// Splits items into pages, in order. If there are no items, there is one empty page. An item that is larger than a
    /// page has a page of its own.
    ///
    /// - Parameter bytes: returns the length of an item's texts, in UTF-8 bytes.
    public static func split<Item>(_ items: [Item], bytes: (Item) -> Int) -> [[Item]] {
        var pages: [[Item]] = []
        var page: [Item] = []
        var remaining = bytesMax
        for item in items {
            let size = bytes(item) + overhead
            if size > remaining && !page.isEmpty {
                pages.append(page)
                page = []
                remaining = bytesMax
            }
            page.append(item)
            remaining -= size
        }
        pages.append(page)
        return pages
    }

    /// The frames of one answer, with their page numbers.
    public static func frames(request: UInt32, _ bodies: [FrameBody]) -> [Frame] {
        bodies.enumerated().map { index, body in
            Frame(request: request, body, page: UInt32(clamping: index), hasMore: index < bodies.count - 1)
        }
    }

    /// Splits names into pages, in order. If there are no names, there is one empty page.
    public static func split(_ names: [String]) -> [[String]] { split(names) { $0.utf8.count } }

    /// Splits devices into pages, in order. If there are no devices, there is one empty page.
    public static func split(_ devices: [Device]) -> [[Device]] {
        split(devices) { $0.id.utf8.count + $0.name.utf8.count + $0.ext.utf8.count + overhead }
    }

    /// Splits rows into pages, in order. If there are no rows, there is one empty page.
    public static func split(_ rows: [AnswerRow]) -> [[AnswerRow]] {
        split(rows) { row in
            row.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + overhead }
        }
    }
}

extension Frame {
    /// Joins this frame with the next page of the same answer or request; nil if `next` is not this page.
    public func joined(with next: Frame) -> Frame? {
        guard request == next.request, hasMore, page < .max, next.page == page + 1 else { return nil }
        let body: FrameBody
        switch (self.body, next.body) {
        case (.loginAck(let first), .loginAck(var last)):
            last.otherDevices = first.otherDevices + last.otherDevices
            body = .loginAck(last)
        case (.joinAck(_, let channel, let first), .joinAck(let status, let same, let last)) where channel == same:
            body = .joinAck(status, channel: channel, members: first + last)
        case (.accountCallAck(_, let first), .accountCallAck(let status, let last)):
            body = .accountCallAck(status, first + last)
        case (.answer(_, let first), .answer(let status, let last)): body = .answer(status, first + last)
        case (.settleAck(let channels, let watched), .settleAck(let more, let moreWatched)):
            body = .settleAck(channels: channels + more, watched: watched + moreWatched)
        case (.tree(let first), .tree(let last)):
            guard let joined = first.joined(with: last) else { return nil }
            body = .tree(joined)
        case (.treeData(let first), .treeData(let last)):
            guard let joined = first.joined(with: last) else { return nil }
            body = .treeData(joined)
        case (.treeAck(_, let first), .treeAck(let status, let last)):
            body = .treeAck(status, first.joined(with: last))
        case (.resyncAck(let first), .resyncAck(let last)): body = .resyncAck(first + last)
        default: return nil
        }
        return Frame(request: request, body, page: next.page, hasMore: next.hasMore, checksum: next.checksum)
    }
}
