import IMCommands
import IMDebugger

extension Explanation {
    /// For a program that asks.
    func object(of event: UInt64) -> AnswerObject {
        var object = AnswerObject(.why)
        object.add("event", number: event)
        object.add("chain", numbers: chain.steps.map(\.number))
        object.add("decided", numbers: decision?.steps.map(\.number) ?? [])
        object.add("cause", number: verdict.cause)
        object.add("what", verdict.what)
        object.add("rules", texts: verdict.rule?.ids ?? [])
        object.add("values", texts: verdict.rule?.values ?? [])
        return object
    }
}
