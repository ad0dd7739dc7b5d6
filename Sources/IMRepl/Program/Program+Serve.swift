import Foundation
import IMDialects
import IMStore
import IMTransport
import IMWorld
import Recorder
import SansIO

// `imrepl serve`: a server for other shells, until it is interrupted.

extension Program {
    func serve(_ request: ServeRequest) async throws -> Outcome {
        try await onOwnThread {
            // Nobody who stops reading holds up those who are served, nor the end.
            let output = Output(colour: Colours.areOn(request.settings.color)).unwaiting
            let served = try ServedApplications(request, output: output)
            output.line("serving \(served.names) on \(served.url); ^C ends it")
            output.line("clients, in other terminals: imrepl --connect \(served.url)")
            let outcome = Signals.awaitEnd()
            try served.shutDown()
            if let path = request.record { output.error("recorded \(path)") }
            return outcome
        }
    }
}
