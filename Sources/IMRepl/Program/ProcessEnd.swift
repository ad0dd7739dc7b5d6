import Foundation

/// Ends the process without destroying globals. Threads of the network and of queues still run, and could use globals,
/// such as those of libcrypto, that `exit` destroys. All output must be written before.
func endProcess(_ outcome: Outcome) -> Never { _exit(StandardStream.checked(outcome).rawValue) }
