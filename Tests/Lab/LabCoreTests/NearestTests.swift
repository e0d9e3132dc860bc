// SPDX-License-Identifier: Apache-2.0

import LabCore
import TestSupport
import Testing

@Suite("How far a word may be from the one that is meant", .endsInTime)
struct NearestTests {
    @Test(
        arguments: [
            ("xbcd", "abcd", true), ("xxcd", "abcd", false), ("xxcde", "abcde", true), ("xxxde", "abcde", false),
            ("xxcdefg", "abcdefg", true), ("xxxdefg", "abcdefg", false), ("xxcdefgh", "abcdefgh", true),
            ("xxxdefgh", "abcdefgh", false), ("xxxdefghi", "abcdefghi", true), ("xxxxefghi", "abcdefghi", false),
            ("abc", "abcd", true), ("bacd", "abcd", true), ("abdc", "abcd", true),
        ])
    func `One mistake in four letters, two in seven, a third of the letters of longer words`(
        word: String, candidate: String, isNear: Bool
    ) {
        #expect(nearest(word, among: [candidate]) == (isNear ? candidate : nil))
    }

    @Test func `The nearest counts; of equally near ones the first by its letters, whatever their order`() {
        #expect(nearest("cat", among: ["rat", "bat", "dog"]) == "bat")
        #expect(nearest("cat", among: ["bat", "Cat"]) == "Cat")
        #expect(nearest("cats", among: ["bats", "cat", "cats"]) == "cats")
    }

    @Test func `A part of a word of three letters or more finds the shortest word that has it`() {
        #expect(nearest("activ", among: ["reactivation", "bactivation", "activations"]) == "activations")
        #expect(nearest("ACTIV", among: ["createActivation"]) == "createActivation")
        #expect(nearest("act", among: ["activation"]) == "activation")
        #expect(nearest("ac", among: ["activation"]) == nil)
        #expect(nearest("", among: ["activation"]) == nil)
    }

    @Test(
        arguments: [
            ("mian", "main"), ("expects", "expect"), ("Main", "main"), ("hasValidActivaton", "hasValidActivation"),
            ("activation", "createActivation"), ("wathc", "watch"),
        ])
    func `A typo finds the intended word`(word: String, meant: String) {
        #expect(nearest(word, among: ["main", "expect", "hasValidActivation", "createActivation", "watch"]) == meant)
    }

    @Test(arguments: ["zebra", "x", "", "server"]) func `Other words find nothing`(word: String) {
        #expect(nearest(word, among: ["main", "wallet", "pairing"]) == nil)
    }

    @Test func `An empty word is one letter from a word of one letter, and far from every longer one`() {
        #expect(nearest("x", among: [""]) == "")
        #expect(nearest("", among: ["x"]) == "x")
        #expect(nearest("", among: [""]) == "")
        #expect(nearest("xy", among: [""]) == nil)
        #expect(nearest("", among: ["xy"]) == nil)
    }

    @Test func `The cut-off grows with the length: two typos in four letters are another word`() {
        #expect(nearest("mxxn", among: ["main"]) == nil)
        #expect(nearest("fetchActivatinStats", among: ["fetchActivationStatus"]) == "fetchActivationStatus")
    }
}
