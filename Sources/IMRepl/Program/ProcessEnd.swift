import Foundation

/// Ends the process. Threads of the network and of queues still run: they must not find taken apart what `exit` takes
/// apart before it ends them, such as the globals of libcrypto. What was said has been written by then.
func endProcess(_ outcome: Outcome) -> Never { _exit(StandardStream.checked(outcome).rawValue) }
