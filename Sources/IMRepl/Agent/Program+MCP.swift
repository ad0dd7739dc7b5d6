import Foundation
import IMAgent
import IMDebugger
import IMSession
import IMShell
import IMText

extension Program {
    func mcp(_ request: MCPRequest) async throws -> Outcome {
        try await onOwnThread {
            let tools = try AgentTools(AgentFolder(request.folder), runsScripts: request.runsScripts)
            var connection = AgentConnection(
                tools: AgentTools.declarations(runsScripts: request.runsScripts), version: Version.number,
                instructions: AgentTools.instructions)
            var splitter = LineSplitter(bytesMax: AgentTools.lineBytesMax)
            func take(_ piece: LineSplitter.Piece) {
                switch piece {
                case .tooLong: StandardStream.out.line(connection.refuseLongLine(bytesMax: splitter.bytesMax))
                case .line(let line):
                    switch connection.receive(line) {
                    case nil: break
                    case .line(let answer): StandardStream.out.line(answer)
                    case .call(let call): StandardStream.out.line(connection.answer(call, with: tools.run(call)))
                    }
                }
            }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(STDIN_FILENO, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                splitter.feed(buffer[..<count]).forEach(take)
            }
            if let last = splitter.end() { take(last) }
            return .ok
        }
    }
}
