import IMClient
import IMProtocol
import IMServer
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMExport
@testable import IMSession
@testable import IMSimulation

/// Tests of the table of fields. Reading, editing, redacting and filtering use the same declarations.
@Suite struct FieldTests {
    private func probed(_ sample: any HasFields) -> (probe: FieldProbe, marked: any HasFields) {
        var probe = FieldProbe()
        let marked = sample.visitFields(&probe)
        return (probe, marked)
    }

    @Test func everyKindOfFrameHasASample() {
        #expect(Set(FieldSamples.bodies.map(\.name)) == Set(FrameBody.names))
        #expect(Set(FieldSamples.all.map(\.name)).count > 100)
    }

    // MARK: Reading

    @Test func everyFieldIsShownOnceUnderItsName() {
        for sample in FieldSamples.all {
            let names = FieldReader.fields(of: sample.value).map(\.name)
            #expect(Set(names).count == names.count, "\(sample.name): \(names)")
            for leaf in probed(sample.value).probe.fields { #expect(names.contains(leaf.name), "\(sample.name)") }
        }
    }

    /// A visitor that replaces nothing returns an equal value.
    @Test func readingLeavesAValueAsItIs() {
        func check<Value: HasFields>(_ value: Value) {
            var reader = FieldReader()
            #expect("\(value.visitFields(&reader))" == "\(value)")
            var editor = FieldEditor("no-such-field", "")
            #expect("\(value.visitFields(&editor))" == "\(value)")
        }
        for sample in FieldSamples.all { check(sample.value) }
    }

    // MARK: Editing

    @Test func editableFieldsTakeAnotherValue() throws {
        for sample in FieldSamples.all {
            let before = FieldReader.fields(of: sample.value)
            let editable = probed(sample.value).probe.fields.filter { $0.editing == .editable }
            for leaf in editable {
                var editor = FieldEditor(leaf.name, leaf.other)
                let edited = sample.value.visitFields(&editor)
                #expect(try editor.hasFound(), "\(leaf.name) of \(sample.name)")
                // The fields `forced` and `offline` are not shown for a login, but they can be edited.
                #expect(editor.editable.filter { $0 != "forced" && $0 != "offline" } == editable.map(\.name))
                let after = FieldReader.fields(of: edited)
                #expect(after.first { $0.name == leaf.name }?.value == leaf.other, "\(leaf.name) of \(sample.name)")
                // No other field has changed, except for texts that describe the edited value.
                #expect(after.filter { $0.name != leaf.name } == before.filter { $0.name != leaf.name })
            }
        }
    }

    /// The word that stands for a missing value is parsed as a missing value.
    @Test func aMissingValueCanBeTyped() {
        var device = FieldEditor("device", "*")
        #expect(FrameBody.kick(device: "one").visitFields(&device) == .kick(device: ""))
        var target = FieldEditor("device", "*")
        #expect(ClientCommand.kick(.device("one")).visitFields(&target) == .kick(.otherDevices))
        var user = FieldEditor("status", "-")
        #expect(ServerCommand.setRefusal(user: "one", .banned).visitFields(&user) == .setRefusal(user: "one", nil))
    }

    /// Only few fields cannot be edited: those that count other parts or repeat another value.
    @Test func fewFieldsAreFixed() {
        let fixed =
            (FieldSamples.bodies.map { ($0.name, $0 as any HasFields) }
            + (FieldSamples.clientCommands as [any HasFields] + FieldSamples.serverCommands).map { ("command", $0) })
            .flatMap { name, value in
                probed(value).probe.fields.filter { $0.editing == .fixed }.map { "\($0.name) of \(name)" }
            }
        #expect(
            Set(fixed) == [
                "expression of command", "query of command", "query of tree", "hash of tree",
                "count of sync-phase", "from of send", "by of kicked", "value of tree", "value of tree-ack",
                "value of tree-data", "value of command",
            ])
    }

    @Test(arguments: [
        ("status", "okay", FrameBody.kickAck(.ok), "status cannot be 'okay': ok, wrong-credential"),
        ("keep-push", "yes", .logout(keepsPush: true), "keep-push takes true or false, not 'yes'"),
        ("epoch", "-1", .kickedAck(epoch: 1), "epoch takes a whole number, not '-1'"),
    ])
    func anInvalidValueIsReported(_ field: String, _ value: String, _ body: FrameBody, _ message: String) {
        var editor = FieldEditor(field, value)
        #expect(body.visitFields(&editor) == body)
        let error = #expect(throws: WorldError.self) { try editor.hasFound() }
        #expect(error.map { "\($0)".hasPrefix(message) } == true, "\(String(describing: error))")
    }

    // MARK: Redacting

    /// Properties whose value is not shown as a field, or only as a part of a text.
    private static let unshown: Set<String> = [
        "AccountCall.action", "Action.call number", "Action.tree", "Change.amend .0", "Change.put .0", "Change.release",
        "Held.number", "TrackedQuery.asOf", "TrackedQuery.bytes", "TrackedQuery.isActive", "TrackedQuery.isComplete",
        "TrackedQuery.isCurrent", "TrackedQuery.lastUse", "TrackedQuery.number", "TreeCommand.persistence bytesMax",
        "TreeDataAnswer.failed", "TreeDataAnswer.read number", "TreeDataRequest.read .1", "TreeDataRequest.read number",
        "TreeWrite.id", "TreeWrite.isVisible", "ChangePage.after", "ChangePage.isLast", "ChangeRecord.kind",
        "ChangeRecord.number", "ChatMessage.isToChannel", "ChatMessage.isToGroup", "ChatMessage.number",
        "ClientCommand.accountCall .2",
        "ClientNotification.dataChanged .0", "ClientNotification.dataSync", "DataAnswer.generation",
        "DataRequest.action", "DataRequest.generation", "LocalAnswer.status", "LocalRequest.call",
        "LocalRequest.deviceMilliseconds", "Outcome.answered number", "Outcome.failed", "Outcome.opened position",
        "ClientCommand.kick", "LoginCall.mode", "ClientCommand.send isToChannel", "ClientCommand.watch isOn",
        "CommandID.rawValue", "ConnectionID.rawValue", "CredentialVerdict.expiresAtMilliseconds",
        "CredentialVerdict.issuedAtMilliseconds", "CredentialVerdict.origin", "Device.osType", "Device.platform",
        "DeviceOperation.isOfGroup", "DeviceOperation.number",
        "Frame.hasMore", "Frame.page", "Frame.request", "FrameBody.messageAck number",
        "FrameBody.operatedAck number", "FrameBody.renewTokenAck expiresAtMilliseconds",
        "FrameBody.renewTokenAck issuedAtMilliseconds", "Interval.nanoseconds", "KickNotice.epoch",
        "LinkChange.from", "LinkChange.isOfReconnect", "LinkChange.to",
        "LocalData.autologinAllowed", "LocalData.expiresAtMilliseconds", "LocalData.lastEpoch", "LocalItem.kind",
        "LoginReply.expiresAtMilliseconds", "LoginReply.issuedAtMilliseconds", "LoginReply.serverTimeMilliseconds",
        "Limit.count", "Limit.end", "LoginRequest.instance", "Node.count", "NodeEffect.notify", "NodeInput.app",
        "NodeInput.unreadable .1",
        "Population.conversations", "Population.days", "Population.endMilliseconds", "Population.friends",
        "Population.groups",
        "Population.hasFiles", "Population.messages", "Population.seed", "SyncAmount.count",
        "SyncAmount.phase", "SyncItem.number", "FrameChecksum.check", "FrameChecksum.count", "Term.condition then",
        "Term.pair .0",
        "TokenClock.deviceMilliseconds", "TokenClock.expiresAtMilliseconds", "TreeChildNotice.kind", "TreeLeaf.number",
        "TreeListening.kinds", "TreeQuery.order", "TreeRule.write",
    ]

    /// A property without a declaration is not shown, and its text would remain in a redacted recording.
    @Test func everyPropertyIsDeclared() throws {
        var unchanged: Set<String> = []
        for sample in FieldSamples.all where !(sample.value is StartRecord) {
            let (probe, marked) = probed(sample.value)
            let marks = Set(probe.texts.map(\.mark) + probe.nameMarks + probe.otherMarks)
            // A key cannot be a mark and a number, so the cached number of a key is not compared.
            let before = Leaf.leaves(of: sample.value).filter { $0.path != "TreeKey.number" }
            let after = Leaf.leaves(of: marked)
            try #require(before.map(\.path) == after.map(\.path))
            for (old, new) in zip(before, after) where !old.value.isEmpty && !old.path.isEmpty {
                let parts = new.value.split(separator: ",").map(String.init)
                let isMarked = marks.contains(new.value) || !parts.isEmpty && parts.allSatisfy(marks.contains)
                // The text of an expression contains other words around its literals, which are not personal.
                let isExpression = old.path == "TransactionExpression.text"
                let isWithin = isExpression && marks.contains { new.value.contains($0) }
                #expect(!new.isText || isMarked || isWithin, "'\(new.value)' of \(sample.name)")
                if old.value == new.value { unchanged.insert(old.path) }
            }
        }
        #expect(unchanged == Self.unshown, "\(unchanged.symmetricDifference(Self.unshown).sorted())")
        // The policy in a start event belongs to the profile, so only the device and the local data are checked.
        let start = probed(FieldSamples.starts[0])
        let marked = try #require(start.marked as? StartRecord)
        guard case .client(_, let device, let local, _, _, _) = marked.body else { return }
        let texts = (Leaf.leaves(of: device) + Leaf.leaves(of: local)).filter(\.isText).map(\.value)
        for text in texts + [marked.name, marked.profile] {
            #expect(start.probe.texts.contains { $0.mark == text }, "'\(text)' of a start")
        }
    }

    @Test func nearlyEveryTextIsPersonal() {
        let impersonal = FieldSamples.all.flatMap { probed($0.value).probe.texts }.filter { $0.privacy == .impersonal }
        #expect(Set(impersonal.compactMap(\.name)) == ["profile"])
    }

    /// This list must contain every number, flag and choice that a redacted recording keeps. The author of a new one
    /// decides whether it can identify a person.
    @Test func impersonalNumbersAndWordsStay() {
        let kept = Set(FieldSamples.all.flatMap { probed($0.value).probe.kept })
        #expect(kept == Self.kept, "\(kept.symmetricDifference(Self.kept).sorted())")
    }

    private static let kept: Set<String> = [
        "all", "autologin", "autologin-failed", "change", "count", "credential", "devices", "done", "epoch",
        "expired", "fault", "first", "from", "hidden", "in-ms", "joined", "keep-push", "kicked", "kind", "last",
        "last-result", "listen", "maxAutoLoginRetryTimes", "mode", "network", "new", "on", "operation", "phase",
        "platform", "presence", "reason", "remaining-ms", "seed", "status", "step", "synced", "to", "was-gone",
        "what",
    ]

    @Test func personalFieldsAreReplaced() {
        func check<Value: HasFields>(_ value: Value) {
            var probe = FieldProbe()
            let marked = value.visitFields(&probe)
            let pseudonyms = Pseudonyms()
            // The first visit only collects the names.
            _ = pseudonyms.replaced(marked)
            pseudonyms.assign()
            let replaced = "\(pseudonyms.replaced(marked))"
            // The names of the values in local data are the vendor's, so they are kept.
            for text in probe.texts where text.name != nil || text.privacy != .impersonal {
                // A client's label is kept unless it contains a user's name.
                let stays = text.privacy == .impersonal || text.privacy == .node
                #expect(replaced.contains(text.mark) == stays, "\(text.name ?? "") of \(value)")
            }
            for mark in probe.otherMarks { #expect(!replaced.contains(mark), "\(value)") }
            for mark in probe.nameMarks { #expect(!replaced.contains(mark), "\(value)") }
        }
        for sample in FieldSamples.all { check(sample.value) }
    }

    // MARK: Filters

    /// A property that has its default value in all samples would not be found if it were missing.
    @Test func theSamplesHaveAValueInEveryProperty() {
        let samples: [Any] = FieldSamples.bodies + FieldSamples.clientCommands + FieldSamples.serverCommands
        #expect(unsetProperties(in: samples + FieldSamples.notifications) == [])
    }

    /// Names that users choose.
    private static let attributeNames: Set = ["mood", "nick", "one"]

    @Test func filtersAcceptEveryField() {
        for sample in FieldSamples.all {
            for fact in FieldReader.fields(of: sample.value) where !Self.attributeNames.contains(fact.name) {
                #expect(FilterFields[fact.name] != nil, "\(fact.name) of \(sample.name)")
            }
            // An event has a field `kind` with other values than that of a stored item. On the client's side a
            // credential is a name.
            for leaf in probed(sample.value).probe.fields
            where !leaf.words.isEmpty && leaf.name != "kind" && leaf.name != "credential" {
                let known = FilterFields[leaf.name]?.values ?? []
                let hasValues = !known.isEmpty || FieldName(rawValue: leaf.name)?.meaning != nil
                #expect(!hasValues || Set(leaf.words).isSubset(of: known), "\(leaf.name) of \(sample.name)")
            }
        }
    }

    /// A filter skips kinds of events that cannot have its field, so these kinds must not have the field.
    @Test func filtersSkipNoField() throws {
        let contents =
            FieldSamples.inputs.map { SessionEvent.Content.input($0) } + FieldSamples.effects.map { .effect($0) }
            + FieldSamples.starts.map { .start($0) }
        for content in contents {
            let event = SessionEvent(number: 1, time: .zero, node: "phone", content: content)
            let kind = try #require(EventKind(rawValue: event.kind))
            for fact in event.facts { #expect(FilterFields.canHave(.fact(fact.name), kind), "\(fact.name) of \(kind)") }
        }
    }

    /// Every field name is used by a field.
    @Test func everyNameBelongsToAField() {
        let ofEvents = [FieldName.bytes, .error, .text, .command].map(\.rawValue)
        let shown = FieldSamples.all.flatMap { FieldReader.fields(of: $0.value) }.map(\.name) + ofEvents
        #expect(FieldName.allCases.map(\.rawValue).filter { !shown.contains($0) } == [])
    }
}
