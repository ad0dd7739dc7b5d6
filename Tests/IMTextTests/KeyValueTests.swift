import Testing

@testable import IMText

@Suite struct KeyValueTests {
    @Test func readsFourForms() {
        #expect(KeyValue("k=v") == KeyValue(key: "k", value: "v"))
        #expect(KeyValue("a.b-c_1=") == KeyValue(key: "a.b-c_1", value: ""))
        #expect(KeyValue("k=a=b") == KeyValue(key: "k", value: "a=b"))
        #expect(KeyValue("k!=v") == KeyValue(key: "k", comparison: .notEqual, value: "v"))
        #expect(KeyValue("k~/a b/") == KeyValue(key: "k", comparison: .matching, value: "a b"))
        #expect(KeyValue("k=>$v") == KeyValue(key: "k", comparison: .capture, value: "v"))
        #expect(KeyValue("k=>5") == KeyValue(key: "k", value: ">5"))
        #expect(KeyValue("text=a!=b") == KeyValue(key: "text", value: "a!=b"))
        #expect(KeyValue("n=1.5")?.number == 1.5)
    }

    @Test(arguments: ["", "k", "=v", "1=v", "k v=1", "k~/", "k~//", "k~re", "!=v", "ключ=v", "-k=v", "k!v"])
    func refuses(text: String) {
        #expect(KeyValue(text) == nil)
    }

    @Test func readsItsOwnOutput() throws {
        for pair in [
            KeyValue("k=a b"), KeyValue("k!='"), KeyValue("k~/x y/"), KeyValue("k~/^a$/"), KeyValue(#"k~/\d$a/"#),
            KeyValue("k=>$v"), KeyValue("k=$5"),
        ] {
            let pair = try #require(pair)
            let word = try Lexer.line(of: pair.text).words[0]
            #expect(word.literal.flatMap(KeyValue.init) == pair)
        }
    }
}
