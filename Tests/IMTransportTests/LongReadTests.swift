import Foundation
import NIOCore
import NIOEmbedded
import Testing

@testable import IMLive

/// A connection whose reads take long is paused, so that other connections are served.
@Suite struct LongReadTests {
    /// A handler that records each read and takes time for it.
    private final class Slow: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var texts: [String] = []
        var isSlow = true

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            texts.append(String(buffer: unwrapInboundIn(data)).prefix(1).description)
            if isSlow { Thread.sleep(forTimeInterval: 0.002) }
        }
    }

    /// A handler that works at the end of a read, as TLS does. It then reads more bytes or passes on its own ones.
    private final class Late: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundIn = ByteBuffer

        func channelReadComplete(context: ChannelHandlerContext) {
            Thread.sleep(forTimeInterval: 0.002)
            context.read()
        }
    }

    /// A handler that counts the reads that reach the socket.
    private final class Reads: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        var count = 0

        func read(context: ChannelHandlerContext) {
            count += 1
            context.read()
        }
    }

    private struct Connection {
        let channel = EmbeddedChannel()
        let socket = SocketHandler()
        let slow = Slow()
        let queue: Queue

        final class Queue {
            var waiting: [() -> Void] = []
            var closes = 0
        }

        init() throws {
            queue = Queue()
            let queue = queue
            socket.onLongRead = { _, resume in queue.waiting.append(resume) }
            socket.onInputClosed = { _ in queue.closes += 1 }
            try channel.pipeline.syncOperations.addHandler(socket)
            try channel.pipeline.syncOperations.addHandler(slow)
        }

        func read(_ text: String) throws {
            try channel.writeInbound(ByteBuffer(string: text.padding(toLength: 300, withPad: " ", startingAt: 0)))
        }

        func resume() { queue.waiting.removeFirst()() }
    }

    @Test func onlyALongReadWaitsForItsTurn() throws {
        let connection = try Connection()
        connection.slow.isSlow = false
        try connection.read("a")
        #expect(connection.queue.waiting.isEmpty)
        connection.slow.isSlow = true
        try connection.read("b")
        #expect(connection.queue.waiting.count == 1)
        try connection.read("c")
        try connection.read("d")
        #expect(connection.slow.texts == ["a", "b"])
        connection.resume()
        #expect(connection.slow.texts == ["a", "b", "c"])
        connection.slow.isSlow = false
        connection.resume()
        #expect(connection.slow.texts == ["a", "b", "c", "d"])
        try connection.read("e")
        #expect(connection.slow.texts.last == "e")
        _ = try connection.channel.finish()
    }

    @Test func aLongReadCanBePausedInTheMiddle() throws {
        let connection = try Connection()
        let parts = ["a", "b", "c"].map {
            $0.padding(toLength: SocketHandler.readPartBytes, withPad: " ", startingAt: 0)
        }
        try connection.channel.writeInbound(ByteBuffer(string: parts.joined()))
        #expect(connection.slow.texts == ["a"])
        try connection.read("d")
        connection.resume()
        #expect(connection.slow.texts == ["a", "b"])
        connection.slow.isSlow = false
        while !connection.queue.waiting.isEmpty { connection.resume() }
        #expect(connection.slow.texts == ["a", "b", "c", "d"])
        _ = try connection.channel.finish()
    }

    @Test("R3: TLS work at the end of a read counts, and does not read on while the connection waits")
    func theEndOfAReadCounts() throws {
        let connection = try Connection()
        connection.slow.isSlow = false
        let reads = Reads()
        let pipeline = connection.channel.pipeline.syncOperations
        try pipeline.addHandler(reads, position: .first)
        try pipeline.addHandler(Late(), position: .after(connection.socket))
        try connection.read("a")
        #expect(connection.queue.waiting.count == 1)
        let count = reads.count
        try connection.read("b")
        #expect(reads.count == count)
        connection.resume()
        #expect(connection.slow.texts == ["a", "b"])
        _ = try connection.channel.finish()
    }

    @Test func aSingleMessageNeverWaits() throws {
        let connection = try Connection()
        try connection.channel.writeInbound(ByteBuffer(string: "a"))
        #expect(connection.queue.waiting.isEmpty)
        _ = try connection.channel.finish()
    }

    @Test func theEndOfTheStreamComesAfterItsBytes() throws {
        let connection = try Connection()
        for text in ["a", "b", "c"] { try connection.read(text) }
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(connection.queue.closes == 0)
        connection.slow.isSlow = false
        while !connection.queue.waiting.isEmpty { connection.resume() }
        #expect(connection.slow.texts == ["a", "b", "c"])
        #expect(connection.queue.closes == 1)
        _ = try connection.channel.finish()
    }

    @Test func oneIterationOfTheLoopIsOneWriteToTheSocket() throws {
        let connection = try Connection()
        for _ in 0..<3 { connection.channel.writeAndFlush(ByteBuffer(string: "x"), promise: nil) }
        #expect(try connection.channel.readOutbound(as: ByteBuffer.self) == nil)
        connection.channel.embeddedEventLoop.run()
        for _ in 0..<3 { #expect(try connection.channel.readOutbound(as: ByteBuffer.self) != nil) }
        _ = try connection.channel.finish()
    }
}
