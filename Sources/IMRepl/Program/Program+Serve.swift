import Foundation
import IMProfiles
import IMShell
import IMSimulation
import Recorder
import SansIO

// `imrepl serve`: a server for other shells, until it is interrupted.

extension Program {
    func serve(_ request: ServeRequest) async throws -> Outcome {
        try await onOwnThread {
            // Non-blocking: a reader that stops reading delays neither the clients nor the end of the server.
            let output = TerminalOutput(nonBlocking: TerminalOutput(colour: Colours.areOn(request.settings.color)))
            let served = try ServedApplications(request, output: output)
            output.line("serving \(served.names) on \(served.url); ^C ends it")
            if request.isOffLoopback && !request.isStrict {
                output.error(
                    "warning: anyone who reaches \(request.host) can log in without a credential, as any user without "
                        + "a "
                        + "password; --strict requires a credential")
            }
            if isatty(STDIN_FILENO) != 0, OperatorPrompt.hasInput {
                output.line("'server' commands control it (see 'help server'); 'quit' or ^D ends it")
            }
            output.line("clients, in other terminals: imrepl --connect \(served.url)")
            let prompt = OperatorPrompt.hasInput ? OperatorPrompt(served.shells, output: output) : nil
            let outcome = Signals.awaitEnd { end in
                guard let prompt else { return }
                // Only the new thread uses the prompt from here on.
                let boxedPrompt = UncheckedSendableBox(prompt)
                let thread = Thread {
                    do {
                        if let outcome = try boxedPrompt.value.run() { end(outcome) }
                    } catch {
                        output.error("\(error)")
                    }
                }
                thread.stackSize = 8 << 20
                thread.start()
            }
            prompt?.close()
            try served.shutDown()
            if let path = request.record { output.error("recorded \(path)") }
            return outcome
        }
    }
}
