import Testing

@testable import Shadows

@Suite struct EscapeRuleTests {
    @Test func codeThatBypassesTheShadowsIsReportedWithItsLine() {
        let source = """
            import Foundation
            let queue = Dispatch.DispatchQueue.main
            let session = URLSession.shared
            // URLSession in a comment, and /* here */
            /* Dispatch.DispatchQueue
               over two lines */ let text = "URLSession"
            let mine = MyURLSessionWrapper()
            let number = UUID()
            pthread_create(&thread, nil, run, nil)
            """
        let escapes = findEscapes(in: source)
        #expect(escapes.map(\.line) == [2, 3, 8, 9])
        #expect(escapes.map(\.words) == ["Dispatch.DispatchQueue", "URLSession", "UUID()", "pthread_create"])
        #expect(escapes.first?.advice == "is the real one; write DispatchQueue")
    }

    @Test func theShadowsDoNotBypassThemselves() {
        #expect(findEscapes(in: shadowsText(module: "App", testsNames: [])).isEmpty)
        #expect(shadowsText(module: "App", testsNames: []).contains("typealias DispatchQueue = SimulatedDispatchQueue"))
    }
}
