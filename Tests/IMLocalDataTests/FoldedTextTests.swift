import IMLocalData
import Testing

/// Texts in the form in which a search compares them (ZIM-9).
struct FoldedTextTests {
    @Test(
        "case and width are ignored, in every script",
        arguments: [
            ("The LIFT is broken", "lift", true), ("ｌｉｆｔ", "LIFT", true), ("lift", "ｌｉＦｔ", true),
            ("电梯坏了", "梯", true), ("电梯坏了", "坏梯", false), ("STRASSE Ärger", "ärger", true), ("ΔΕΛΤΑ", "δελτα", true),
            ("\u{13A0}\u{13A1}", "\u{AB70}\u{AB71}", true), ("\u{A640}", "\u{A641}", true), ("한국어", "국", true),
            ("かな", "な", true), ("", "a", false), ("a", "", true), ("a\u{3000}b", "a b", true),
        ])
    func compares(_ text: String, _ keyword: String, _ isThere: Bool) {
        #expect(Keywords([keyword]).occur(in: [text]) == isThere)
        #expect(Keywords([keyword, keyword]).occur(in: ["", text]) == isThere)
    }

    @Test("every keyword must match, each in any of the texts")
    func several() {
        #expect(Keywords(["电梯", "PNG"]).occur(in: ["电梯", "lift.png"]))
        #expect(Keywords(["电", "票"]).occur(in: ["电梯", "发票"]))
        #expect(!Keywords(["电梯", "jpg"]).occur(in: ["电梯", "lift.png"]))
        #expect(!Keywords(["电梯"]).occur(in: []) && Keywords([]).occur(in: []))
    }
}
