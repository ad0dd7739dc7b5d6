import Foundation

/// Whether tests look everywhere instead of at a sample: `make test-deep` sets IMREPL_DEEP.
public let searchesDeeply = ProcessInfo.processInfo.environment["IMREPL_DEEP"] != nil
