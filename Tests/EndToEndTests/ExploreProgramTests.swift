import Foundation
import TestSupport
import Testing

/// Tests of `imrepl-explore`, and of `shrink` and `odds` in both programs, as a user runs them.
@Suite(.onOwnThreads) struct ExploreProgramTests {
    private static let kick =
        Scenario.head + """
            client new phone --platform ios
            client new pad --platform ios
            client new tv --platform web
            @tv login bob
            @phone login alice
            @phone net delay 200ms
            wait 3s
            @tv send alice hello
            @pad login alice
            wait 5s
            @phone net clear
            wait 1m

            """

    private func recorded() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.write(Self.kick, "kick.imr")
        let result = try sandbox.imrepl("run", "kick.imr", "--world", "simulated", "--record", "kick.pcapng")
        try #require(result.status == 0, "\(result.errors)")
        return sandbox
    }

    @Test func `a search without findings reports its scenarios, and its parts give the same result`() throws {
        let sandbox = try Sandbox()
        let whole = try sandbox.explore("--seeds", "0..255", "--json")
        #expect(whole.status == 0 && whole.errors.isEmpty, "\(whole.errors)")
        for part in 1...2 {
            let result = try sandbox.explore(
                "--seeds", "0..255", "--shard", "\(part)/2", "--jobs", "2", "--json")
            try sandbox.write(result.output, "part-\(part).ndjson")
        }
        let merged = try sandbox.explore(
            "--merge", "part-2.ndjson", "--merge", "part-1.ndjson", "--json", "--report", "all.html")
        #expect(merged.output == whole.output)
        #expect(merged.status == 0)
        #expect(try String(decoding: sandbox.data("all.html"), as: UTF8.self).contains("256"))
    }

    @Test func `a violation is reported with its seed, and the exit code is 1`() throws {
        let sandbox = try Sandbox()
        let result = try sandbox.explore("--seeds", "0..15", "--profile", "nim", "--canary", "20")
        #expect(result.status == 1)
        #expect(result.output.contains("canary C-0: fails on purpose  (nim, seed 0, event 20, 16 times)"))
        #expect(try sandbox.explore("--seeds", "9..3").status == 2)
        #expect(try sandbox.explore("--merge", "missing.ndjson").status == 3)
    }

    @Test func `missing and duplicate parts are reported together with the findings of the others`() throws {
        let sandbox = try Sandbox()
        let search = ["--seeds", "0..255", "--profile", "zim", "--json"]
        let whole = try sandbox.explore(search)
        for part in 1...3 {
            try sandbox.write(try sandbox.explore(search + ["--shard", "\(part)/3"]).output, "part-\(part).ndjson")
        }
        let two = try sandbox.explore("--merge", "part-3.ndjson", "--merge", "part-1.ndjson", "--json")
        #expect(two.status == 2)
        #expect(two.errors == "imrepl-explore: part 2/3 of seeds 0..255 of zim is missing\n")
        // The merged report of some parts can be merged with the other parts later.
        try sandbox.write(two.output, "two.ndjson")
        let all = try sandbox.explore("--merge", "two.ndjson", "--merge", "part-2.ndjson", "--json")
        #expect(all.status == 0 && all.errors.isEmpty, "\(all.errors)")
        #expect(all.output == whole.output)
        let doubled = try sandbox.explore(
            "--merge", "two.ndjson", "--merge", "part-2.ndjson", "--merge", "part-2.ndjson", "--json")
        #expect(doubled.status == 2)
        #expect(
            doubled.errors
                == "imrepl-explore: part 2/3 of seeds 0..255 of zim is given twice: 'part-2.ndjson' and 'part-2.ndjson'\n"
        )
        #expect(doubled.output == whole.output)
        let within = try sandbox.explore("--merge", "part-1.ndjson", "--merge", "two.ndjson", "--json")
        #expect(within.status == 2 && within.output.isEmpty && within.errors.contains("omit one of them"))
        try sandbox.write(whole.output, "whole.ndjson")
        let mergedTwice = try sandbox.explore("--merge", "whole.ndjson", "--merge", "part-2.ndjson")
        #expect(mergedTwice.status == 2 && mergedTwice.output.isEmpty)
        #expect(
            mergedTwice.errors.contains(
                "seeds 0..255 of zim and part 2/3 of seeds 0..255 of zim contain the same seeds: omit one of them"))
    }

    @Test func `a deliberate failure is found again and shrunk`() throws {
        let sandbox = try Sandbox()
        let found = try sandbox.explore("--seeds", "0..15", "--profile", "nim", "--canary", "20")
        #expect(found.output.contains("imrepl-explore shrink 0 --canary 20 --profile nim"))
        let result = try sandbox.explore("shrink", "0", "--canary", "20", "--profile", "nim")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("C-0: fails on purpose"))
        #expect(try sandbox.imrepl("run", "shrunk-0.imr", "--no-record").status == 0)
        let without = try sandbox.explore("shrink", "0", "--profile", "nim")
        #expect(without.status == 1 && without.errors.contains("no rule is broken"))
        #expect(try sandbox.explore("shrink", "a.pcapng", "--canary", "20").status == 2)
    }

    @Test func `a corpus stores scenarios with new coverage, and the search continues from it`() throws {
        let sandbox = try Sandbox()
        let first = try sandbox.explore("--seeds", "0..63", "--profile", "zim", "--corpus", "kept")
        #expect(first.status == 0, "\(first.output)\(first.errors)")
        let kept = try sandbox.files(below: "kept")
        #expect(!kept.isEmpty && kept.allSatisfy { $0.hasSuffix(".pcapng") })
        #expect(try sandbox.imrepl(["verify"] + kept).status == 0)
        let second = try sandbox.explore("--seeds", "64..127", "--profile", "zim", "--corpus", "kept")
        #expect(second.status == 0, "\(second.output)\(second.errors)")
    }

    @Test func `a shrunk script fails for the same violation, and passes without the violation`() throws {
        let sandbox = try recorded()
        let result = try sandbox.imrepl(
            "shrink", "kick.pcapng", "--keep", "count(kind == transition and to == kicked) >= 1", "-o", "short.imr")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("shortened to 4 in"))
        let run = try sandbox.imrepl("run", "short.imr", "--no-record")
        #expect(run.status == 1)
        #expect(
            run.errors.contains("the condition does not hold: there are 1 of 'kind == transition and to == kicked'"))
        #expect(try sandbox.imrepl("verify", "short.pcapng").status == 0)
        let lines = try String(decoding: sandbox.data("short.imr"), as: UTF8.self).split(separator: "\n")
        let commands = lines.indices.filter { !lines[$0].hasPrefix("#") }.dropLast()
        // If any line is removed, the script must pass, or fail for another reason.
        for lineIndex in commands {
            var without = lines
            without.remove(at: lineIndex)
            try sandbox.write(without.joined(separator: "\n") + "\n", "without.imr")
            let other = try sandbox.imrepl("run", "without.imr", "--no-record")
            #expect(!other.errors.contains("condition does not hold"), "\(lines[lineIndex]) is not needed")
        }
        let unshrinkable = try sandbox.imrepl("shrink", "kick.pcapng", "--keep", "count(kick) >= 1000")
        #expect(unshrinkable.status == 1 && unshrinkable.errors.contains("does not hold in"))
        #expect(try sandbox.imrepl("shrink", "kick.pcapng", "--keep", "count(knd == a) >= 1").status == 2)
        let unnamed = try sandbox.imrepl("shrink", "kick.pcapng")
        #expect(unnamed.status == 2 && unnamed.errors.contains("--keep"))
        let unbroken = try sandbox.explore("shrink", "kick.pcapng")
        #expect(unbroken.status == 1 && unbroken.errors.contains("no rule is broken"))
    }

    @Test func `'check rules' in a script uses the checkers of the program that has them`() throws {
        let sandbox = try Sandbox()
        let lines = [
            "client new phone --platform ios", "@phone login alice", "wait 5s", "expect state online", "check rules",
        ]
        try sandbox.write(Scenario.head + lines.joined(separator: "\n") + "\n", "rules.imr")
        let plain = try sandbox.imrepl("run", "rules.imr", "--no-record")
        #expect(plain.status == 0 && plain.output.contains("rules are not checked here; 'imrepl-explore run"))
        for line in [["run", "rules.imr", "--no-record"], ["test", "rules.imr", "--update"]] {
            let checked = try sandbox.explore(line)
            #expect(
                checked.status == 0 && !checked.output.contains("not checked"), "\(checked.output)\(checked.errors)")
        }
        let typed = try sandbox.imrepl("-c", "check rules")
        #expect(typed.status == 1 && typed.errors.contains("works only in scripts in virtual time"))
    }

    @Test func `'use' in a script with 'check rules' starts with new checkers`() throws {
        let sandbox = try Sandbox()
        let lines = [
            "client new phone --platform ios", "@phone login alice", "wait 5s", "use zim",
            "client new phone --platform ios", "@phone login bob", "wait 5s", "expect state online", "check rules",
        ]
        try sandbox.write(Scenario.head + lines.joined(separator: "\n") + "\n", "rules.imr")
        // The checkers of the first session have stored its last user, so they report a false C-11 for the second one.
        let checked = try sandbox.explore("run", "rules.imr", "--no-record")
        #expect(checked.status == 0 && !checked.output.contains("not checked"), "\(checked.output)\(checked.errors)")
    }

    @Test func `odds count the runs in which a condition holds`() throws {
        let sandbox = try recorded()
        let result = try sandbox.imrepl(
            "odds", "kick.pcapng", "kind == transition and to == kicked", "--runs", "5", "--report", "odds.html")
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            result.output.contains(
                "it occurred in all 5 runs from the beginning; at least 57 % of all runs would show it"))
        #expect(try String(decoding: sandbox.data("odds.html"), as: UTF8.self).contains("<polyline"))
        #expect(try sandbox.imrepl("odds", "kick.pcapng", "knd == a").status == 2)
    }
}
