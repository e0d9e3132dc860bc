// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import mutants

@Suite("Mistakes that the rules make")
struct ChangeFinderTests {
    /// The mistakes of one kind in a piece of code, each as the whole text with the mistake in it.
    private func mistakes(_ kind: Change.Kind, in text: String) -> [String] {
        ChangeFinder.changes(in: text).filter { $0.kind == kind }.map { $0.applied(to: text) }
    }

    @Test func `A comparison is shifted by one`() {
        #expect(mistakes(.comparison, in: "let a = b < c + 1") == ["let a = b <= c + 1"])
        #expect(mistakes(.comparison, in: "let a = b >= c") == ["let a = b > c"])
    }

    @Test func `A condition becomes its opposite`() {
        #expect(mistakes(.condition, in: "if isOpen { close() }") == ["if !(isOpen) { close() }"])
        #expect(mistakes(.condition, in: "if !isOpen { open() }") == ["if isOpen { open() }"])
        #expect(mistakes(.condition, in: "while a == b { next() }") == ["while a != b { next() }"])
        #expect(mistakes(.condition, in: "if let a { use(a) }").isEmpty)
    }

    @Test func `A condition loses one of its halves`() {
        #expect(
            mistakes(.half, in: "let a = b && c || d") == [
                "let a = b && c", "let a = d", "let a = b || d", "let a = c || d",
            ])
        #expect(
            mistakes(.half, in: "if let a, a.isOpen { use(a) }") == ["if let a, true { use(a) }"])
    }

    @Test func `A number is one higher or one lower, where code can choose it`() {
        #expect(mistakes(.constant, in: "let a = 100") == ["let a = 101", "let a = 99"])
        #expect(mistakes(.constant, in: "let a: UInt = 0") == ["let a: UInt = 1"])
        #expect(mistakes(.constant, in: "let a = 0x10") == ["let a = 17", "let a = 15"])
        #expect(mistakes(.constant, in: "enum A: Int { case one = 1 }").isEmpty)
        #expect(mistakes(.constant, in: "switch a { case 1: b() default: c() }").isEmpty)
        #expect(mistakes(.constant, in: "func a(b: Int = 1) {}").isEmpty)
    }

    @Test func `A statement is missing, but none that gives a value or makes an object`() {
        #expect(
            mistakes(.statement, in: "func a() {\n    b()\n    c = 1\n}")
                == ["func a() {\n    \n    c = 1\n}", "func a() {\n    b()\n    \n}"])
        #expect(mistakes(.statement, in: "func a() -> Int { b() }").isEmpty)
        #expect(mistakes(.statement, in: "struct A { let b: Int; init() { b = 1 } }").isEmpty)
        #expect(mistakes(.statement, in: "func a() { defer { b() }\n c() }").contains("func a() { defer {  }\n c() }"))
    }

    @Test func `A guard lets everything pass`() {
        #expect(mistakes(.guard, in: "guard a, b else { return }") == ["guard true, true else { return }"])
        #expect(mistakes(.guard, in: "guard let a else { return }").isEmpty)
    }

    @Test func `Neighbouring arguments change places, and keep their labels`() {
        #expect(mistakes(.arguments, in: "f(a: x, b: y)") == ["f(a: y, b: x)"])
        #expect(mistakes(.arguments, in: "f(x, \"y\")").isEmpty)
        #expect(mistakes(.arguments, in: "f(x) { y }").isEmpty)
        #expect(mistakes(.arguments, in: "min(x, y)").isEmpty)
    }

    @Test func `A section under a lock is cut in two`() {
        let cut = mistakes(
            .lock, in: "func a() {\n    state.withLock { state in\n        b()\n        c()\n    }\n    d()\n}")
        #expect(cut.count == 1)
        #expect(cut.first?.ranges(of: "state.withLock { state in").count == 2)
    }

    @Test func `An awaited task is not awaited`() {
        #expect(
            mistakes(.wait, in: "func a() async {\n    await b()\n    c()\n}") == [
                "func a() async {\n    Task { await b() }\n    c()\n}"
            ])
    }

    @Test func `A function returns early with what its type allows`() {
        #expect(
            mistakes(.return, in: "func a() -> Int? {\n    b()\n    c()\n    return 1\n}")
                == ["func a() -> Int? {\n    b()\n    return nil\nc()\n    return 1\n}"])
    }

    @Test func `Branches change places`() {
        #expect(mistakes(.branches, in: "let a = b ? c : d") == ["let a = b ? d : c"])
        #expect(
            mistakes(.branches, in: "switch a {\ncase .b: c()\ncase .d: e()\ncase .f(let g): h(g)\n}")
                == ["switch a {\ncase .b: e()\ncase .d: c()\ncase .f(let g): h(g)\n}"])
    }
}

@Suite("Mistakes woven into a text")
struct WeavingTests {
    @Test func `Each of two nested mistakes is selected by its own name`() throws {
        let text = "let a = b < 3\n"
        let changes = ChangeFinder.changes(in: text)
        let outer = try #require(changes.first { $0.kind == .comparison })
        let inner = try #require(changes.first { $0.kind == .constant })
        let woven = Weaving(
            text,
            with: [
                .init(name: "1-2", edit: inner.edits[0]), .init(name: "1-1", edit: outer.edits[0]),
            ])
        #expect(
            woven.text.hasPrefix(
                "let a = (mutantIsOn(\"1-1\") ? (b <= 3) : (b < (mutantIsOn(\"1-2\") ? (4) : (3))))\n"))
        #expect(woven.lines == ["1-1": [1...1], "1-2": [1...1]])
    }

    @Test func `A mistake is found at all lines of its branches`() throws {
        let text = "func a() {\n    b()\n    c()\n}\n"
        let change = try #require(ChangeFinder.changes(in: text).first { $0.kind == .statement })
        let woven = Weaving(text, with: [.init(name: "1-1", edit: change.edits[0])])
        #expect(woven.lines["1-1"]?.contains { $0.contains(5) } == true)
    }
}

@Suite("Draws")
struct RateTests {
    @Test func `The interval of a rate is that of Wilson`() {
        #expect(Rate(hits: 54, of: 60).interval == "80 % to 95 %")
        #expect(Rate(hits: 60, of: 60).interval == "94 % to 100 %")
        #expect(Rate(hits: 0, of: 0).interval == "–")
    }
}
