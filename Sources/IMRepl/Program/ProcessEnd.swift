import Foundation

/// Ends the process. Threads of the network and of queues still run. `exit` would destroy globals before it ends them,
/// such as those of libcrypto, and the threads could still use these. All output has been written by then.
func endProcess(_ outcome: Outcome) -> Never { _exit(StandardStream.checked(outcome).rawValue) }
