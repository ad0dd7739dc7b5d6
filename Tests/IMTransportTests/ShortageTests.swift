import Foundation
import NIOCore
import NIOEmbedded
import Testing

@testable import IMLive

/// Tests of the reports of a listener when the operating system refuses more connections.
@Suite struct ShortageTests {
    /// The pipeline of a listener with its reports. A test lets it accept or refuse a connection.
    private final class Listener {
        var reports: [String] = []
        let channel = EmbeddedChannel()

        init() throws {
            try channel.pipeline.syncOperations.addHandler(
                AcceptFailureHandler { [unowned self] in reports.append($0) })
        }

        func refuse(_ code: CInt) {
            channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept"))
        }

        func letIn() throws {
            try channel.writeInbound(EmbeddedChannel() as any Channel)
        }
    }

    @Test func itIsReportedOnceUntilAConnectionSucceeds() throws {
        let listener = try Listener()
        let word = "this process is out of file descriptors (ulimit -n)"
        for _ in 0..<3 { listener.refuse(EMFILE) }
        #expect(listener.reports == [word])
        try listener.letIn()
        #expect(listener.reports == [word])
        listener.refuse(EMFILE)
        listener.refuse(ENFILE)
        #expect(listener.reports == [word, word])
        try listener.channel.throwIfErrorCaught()
    }

    @Test func anErrorOfOneConnectionIsNoShortage() throws {
        let listener = try Listener()
        listener.refuse(ECONNABORTED)
        #expect(listener.reports == [])
        #expect(throws: IOError.self) { try listener.channel.throwIfErrorCaught() }
    }
}
