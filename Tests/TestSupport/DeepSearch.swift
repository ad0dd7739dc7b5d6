import Foundation

/// True if tests check everything instead of a sample. `make test-deep` sets the environment variable IMREPL_DEEP.
public let searchesDeeply = ProcessInfo.processInfo.environment["IMREPL_DEEP"] != nil
