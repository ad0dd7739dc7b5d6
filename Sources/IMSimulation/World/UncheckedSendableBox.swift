/// A value that is passed to another thread.
///
/// `@unchecked Sendable`: it is written before it is passed. Each use says what keeps the threads apart afterwards.
package struct UncheckedSendableBox<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}
