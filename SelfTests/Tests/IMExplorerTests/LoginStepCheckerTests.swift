import IMClient
import IMSession
import Testing

@testable import IMCheckers

/// Checkers of the steps of a login.
@Suite struct LoginStepCheckerTests: CheckerScript {
    @Test(arguments: [true, false])
    func aStepOfALoginThatIsNotToldIsSeen(_ isTold: Bool) throws {
        var (checker, violations) = (LoginStepChecker(try policy("nim")), [Violation]())
        var contents: [(Int64, SessionEvent.Content)] = []
        for step in [LoginStep.linking, .linkOK, .authenticating, .loginOK] {
            contents.append((1, .effect(.notify(.loginStep(step)))))
        }
        contents += online(.syncing)
        if isTold { contents.append((2, .effect(.notify(.loginStep(.syncing))))) }
        traced(contents + [(3, .input(.app(.background)))]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.kind) == (isTold ? [] : ["an app was not told of a step of its login"]))
    }

    @Test func aStepOfALoginOutOfTurnIsSeen() throws {
        var (checker, violations) = (LoginStepChecker(try policy("nim")), [Violation]())
        let steps: [LoginStep] = [.linking, .authenticating, .loginOK]
        traced(steps.map { (1, .effect(.notify(.loginStep($0)))) }) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.kind) == ["a step of a login comes out of turn"])
    }

    @Test(arguments: [LoginStep.linkFailed, nil])
    func aLoginThatIsTriedAnewWithoutAWordIsSeen(_ end: LoginStep?) throws {
        var (checker, violations) = (LoginStepChecker(try policy("nim")), [Violation]())
        let steps = [LoginStep.linking, end, .linking].compactMap { $0 }
        traced(steps.map { (1, .effect(.notify(.loginStep($0)))) }) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (end == nil ? ["NIM-9"] : []))
    }

    @Test(arguments: [true, false], [true, false])
    func aSwitchOfTheNetworkIsTold(_ isSwitched: Bool, _ isTold: Bool) throws {
        var (checker, violations) = (LoginStepChecker(try policy("nim")), [Violation]())
        let steps = [LoginStep.linking, .linkOK, .authenticating, .loginOK, .syncing, .syncOK]
        var contents: [(Int64, SessionEvent.Content)] = steps.map { (1, .effect(.notify(.loginStep($0)))) } + online()
        contents.append((2, .input(.network(isSwitched ? .switched : .up))))
        if isTold { contents.append((2, .effect(.notify(.loginStep(.networkChanged))))) }
        traced(contents + [(3, .input(.app(.background)))]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == (isSwitched == isTold ? [] : ["NIM-9"]))
    }
}
