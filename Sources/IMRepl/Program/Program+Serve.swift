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
            let output = Output(colour: Colours.areOn(request.settings.color))
            let served = try ServedApplications(request, output: output)
            output.line("serving \(served.names) on \(served.url); ^C ends it")
            if request.isOffLoopback && !request.isStrict {
                output.error(
                    "warning: whoever reaches \(request.host) is let in without a credential, as any user that has no "
                        + "password; --strict lets nobody in without one")
            }
            output.line("clients, in other terminals: imrepl --connect \(served.url)")
            let outcome = Signals.awaitEnd()
            try served.shutDown()
            if let path = request.record { output.error("recorded \(path)") }
            return outcome
        }
    }
}
