import IMShell
import Testing

/// Written by `imrepl export --as swift-test` from c-07-kick-while-the-app-was-dead.pcapng.
@Suite struct C07KickWhileTheAppWasDeadTests {
    @Test func theScenarioHappensAgain() throws {
        let scenario = try ScriptTest(Self.script, named: "c-07-kick-while-the-app-was-dead")
        guard let failure = try scenario.failure() else { return }
        let line = Self.begin + failure.line
        let place = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 9)
        Issue.record("\(failure)", sourceLocation: place)
    }

    /// The line in front of the script's first one.
    private static let begin = #line + 1
    private static let script = ##"""
        #! imrepl script 1
        # title: an operator's kick of an app that was not running is delivered at its next login
        # profile: nim
        # world: simulated
        # because: it is the script of a recording, and contains its times
        # seed: 1
        # time-scale: 20.0

        client new phone --device phone-5cc1 --platform ios
        @phone login alice
        @phone expect state connecting from=logged-out reason=login
        @phone expect callback onLogin step=NIMLoginStepLinking(1)
        @phone expect callback onLogin step=NIMLoginStepLinkOK(2) within 20ms
        @phone expect callback onLogin step=NIMLoginStepLogining(4)
        @phone expect callback onLogin step=NIMLoginStepLoginOK(5) within 20ms
        @phone expect state syncing from=connecting reason=login-succeeded
        @phone expect callback onLogin step=NIMLoginStepSyncing(7)
        @phone expect state online from=syncing reason=sync-finished within 20ms
        @phone expect callback onLogin step=NIMLoginStepSyncOK(8)
        @phone app kill
        server kick alice
        server devices alice
        @phone app start
        @phone autologin alice --forced
        @phone expect state connecting from=logged-out reason=login
        @phone expect callback onLogin step=NIMLoginStepLinking(1)
        @phone expect callback onLogin step=NIMLoginStepLinkOK(2) within 20ms
        @phone expect callback onLogin step=NIMLoginStepLogining(4)
        @phone expect state kicked from=connecting reason=kicked-by-server within 20ms
        @phone expect callback onKick reason=NIMKickReasonByServer(2) clientType=NIMLoginClientTypeUnknown(0)
        wait 200s
        !@phone autologin alice
        server devices alice
        @phone login alice
        @phone expect state connecting from=kicked reason=login
        @phone expect callback onLogin step=NIMLoginStepLinking(1)
        @phone expect callback onLogin step=NIMLoginStepLinkOK(2) within 20ms
        @phone expect callback onLogin step=NIMLoginStepLogining(4)
        @phone expect callback onLogin step=NIMLoginStepLoginOK(5) within 20ms
        @phone expect state syncing from=connecting reason=login-succeeded
        @phone expect callback onLogin step=NIMLoginStepSyncing(7)
        @phone expect state online from=syncing reason=sync-finished within 20ms
        @phone expect callback onLogin step=NIMLoginStepSyncOK(8)
        """##
}
