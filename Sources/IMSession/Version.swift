/// The program version that a recording contains.
package enum Version {
    package static let number = "0.1.0"
    package static let application = "imrepl \(number)"
}
