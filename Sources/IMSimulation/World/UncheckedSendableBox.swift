/// A value that is passed to another thread.
///
/// `@unchecked Sendable`: the value is written before the box is passed. A comment at each use explains why two threads
/// do not access the value at the same time.
package struct UncheckedSendableBox<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}
