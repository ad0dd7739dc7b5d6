import Foundation
import IMClient
import IMLocalData
import IMProtocol

// Converts requests for local data, and their answers, to and from the records of a session file.

extension DataRequest {
    var record: WireDataRequest {
        .with {
            $0.generation = generation
            switch action {
            case .open(let user): $0.open = user
            case .call(let number, let request):
                $0.call = .with {
                    $0.number = number
                    $0.call = UInt32(request.call.rawValue)
                    $0.arguments = request.arguments.map(\.record)
                    $0.deviceClockMs = request.deviceMilliseconds
                }
            case .apply(let page): $0.apply = Data(Frame(.changes(page)).bytes())
            case .close: $0.close = true
            case .tree(let request): $0.tree = request.record
            }
        }
    }

    init(_ record: WireDataRequest) throws {
        switch record.kind {
        case .open(let user): self.init(generation: record.generation, .open(user: user))
        case .call(let call):
            let request = LocalRequest(
                try RecordCodec.value(call.call, "local call"), call.arguments.map { ($0.name, $0.value) },
                deviceMilliseconds: call.deviceClockMs)
            self.init(generation: record.generation, .call(number: call.number, request))
        case .apply(let bytes):
            guard case .changes(let page) = try Frame(bytes: Array(bytes)).body else {
                throw RecordError.unreadable("its changes are invalid")
            }
            self.init(generation: record.generation, .apply(page))
        case .close: self.init(generation: record.generation, .close)
        case .tree(let request): self.init(generation: record.generation, .tree(try TreeDataRequest(request)))
        case nil: throw RecordError.unreadable("it has a request that this version does not know")
        }
    }
}

extension DataAnswer {
    var record: WireDataAnswer {
        .with {
            $0.generation = generation
            switch outcome {
            case .opened(let position): $0.opened = position
            case .answered(let number, let answer):
                $0.answered = .with {
                    $0.number = number
                    $0.status = UInt32(answer.status.rawValue)
                    $0.rows = answer.rows.map { row in .with { $0.fields = row.fields.map(\.record) } }
                    $0.next = answer.next
                }
            case .failed(let status): $0.failed = UInt32(status.rawValue)
            case .tree(let answer): $0.tree = answer.record
            }
        }
    }

    init(_ record: WireDataAnswer) throws {
        switch record.kind {
        case .opened(let position): self.init(generation: record.generation, .opened(position: position))
        case .answered(let result):
            let answer = LocalAnswer(
                try RecordCodec.value(result.status, "status"),
                result.rows.map { row in AnswerRow(row.fields.map { ($0.name, $0.value) }) }, next: result.next)
            self.init(generation: record.generation, .answered(number: result.number, answer))
        case .failed(let status):
            self.init(generation: record.generation, .failed(try RecordCodec.value(status, "status")))
        case .tree(let answer): self.init(generation: record.generation, .tree(try TreeDataAnswer(answer)))
        case nil: throw RecordError.unreadable("it has an answer that this version does not know")
        }
    }
}

extension AnswerField {
    fileprivate var record: WireField {
        .with {
            $0.name = name
            $0.value = value
        }
    }
}

extension DataRequest {
    /// The approximate memory use, in bytes.
    var estimatedBytes: Int {
        switch action {
        case .open, .close: 0
        case .call(_, let request): request.arguments.reduce(0) { $0 + $1.value.utf8.count }
        case .apply(let page): page.heldBytes
        case .tree(let request): request.estimatedBytes
        }
    }
}

extension ChangePage {
    /// The approximate memory use, in bytes. It counts 64 bytes for each change and each field, in addition to the
    /// texts.
    var heldBytes: Int {
        changes.reduce(0) { sum, change in
            sum + change.fields.reduce(64) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
        }
    }
}

extension DataAnswer {
    /// The approximate memory use, in bytes.
    var estimatedBytes: Int {
        switch outcome {
        case .opened, .failed: 0
        case .answered(_, let answer): answer.rows.estimatedBytes
        case .tree(let answer): answer.estimatedBytes
        }
    }
}

extension [AnswerRow] {
    /// The approximate memory use, in bytes.
    var estimatedBytes: Int {
        reduce(0) { sum, row in sum + row.fields.reduce(32) { $0 + 32 + $1.name.utf8.count + $1.value.utf8.count } }
    }
}
