// SPDX-License-Identifier: Apache-2.0

import LabCore

// The one place where a diagnostic becomes English.

extension DiagnosticKind {
    /// What is wrong, in one sentence without a full stop.
    public var sentence: String {
        switch self {
        case .missingFile: "there is no such file"
        case .missingLabFile(let path): "there is no lab.yaml at \(path) or in a folder above it"
        case .unreadableFile(let reason): "the file cannot be read: \(reason)"
        case .fileTooLarge(let bytes, let limit): "the file has \(bytes) bytes; at most \(limit) are read"
        case .notUTF8: "the file is not UTF-8 text"
        case .emptyFile: "the file holds no YAML document"
        case .malformedYAML(let problem): "this is not YAML: \(problem)"
        case .unclosedQuote(nil): "a quote opens here and is never closed"
        case .unclosedQuote(let line?):
            "the quote that opens here is closed only in line \(line), where other text follows"
        case .textAfterQuote: "text follows the quote that closes a value"
        case .unquotedReference(let text): "`\(text)` must stand in quotes between `{ }` and `[ ]`"
        case .tabIndentation: "a tab is used for indentation"
        case .duplicateKey(let key): "`\(key)` is set twice"
        case .keyIsNotText: "a key must be a word, not a list or a mapping"
        case .severalDocuments: "a second document begins here; a file holds one"
        case .tooManyNodes(let limit, let usesAliases):
            "the document has more than \(limit) values\(usesAliases ? " after its aliases are written out" : "")"
        case .nestedTooDeeply(let limit): "the document is nested deeper than \(limit) levels"
        case .wrongShape(let what, let expected, let actual):
            "\(what) must be \(expected.rawValue), but here is \(actual.rawValue)"
        case .unknownKey(let key, let container, _): "\(container) has no key `\(key)`"
        case .missingKey(let key, let container): "\(container) needs the key `\(key)`"
        case .contradictingKeys(let first, let second, let reason):
            "`\(first)` and `\(second)` exclude each other: \(reason)"
        case .emptyList(let what): "\(what) must not be empty"
        case .wrongType(let what, let expected, let actual): "\(what) must be \(expected), not `\(actual)`"
        case .notAChoice(let what, let value, _): "\(what) cannot be `\(value)`"
        case .outOfRange(let what, let value, let limit): "\(what) is \(value), but must be \(limit)"
        case .malformedName(let what, let value): "`\(value)` cannot be the name of \(what)"
        case .reservedName(let what, let name):
            "\(what) cannot be called `\(name)`: the scenario language uses this word"
        case .duplicateName(let name, let what): "`\(name)` is already the name of \(what); names must be unique"
        case .unknownName(let what, let name, _): "there is no \(what) called `\(name)`"
        case .misfit(let what, let reason): "\(what) does not fit: \(reason)"
        case .unusableProgram(let path, let reason, _): "the program `\(path)` \(reason)"
        case .unknownTopology(let name, _): "the lab file defines no topology `\(name)`"
        case .noCommand: "this step has no command"
        case .malformedTable(let problem): "this is no table: \(problem)"
        case .severalCommands(let first, let second): "a step has one command, but here are `\(first)` and `\(second)`"
        case .unknownActor(let name, _): "there is no actor called `\(name)`"
        case .unknownCommand(let command, let actor, _): "`\(actor)` has no command `\(command)`"
        case .misplacedCommand(let command, let actor, let actorIs, let belongsTo, _):
            "`\(command)` is a command of \(listed(belongsTo, by: "or")), but `\(actor)` is \(actorIs)"
        case .unknownParameter(let parameter, let command, _): "`\(command)` has no parameter `\(parameter)`"
        case .missingParameter(let parameter, let command, let meaning):
            "`\(command)` needs the parameter `\(parameter)`: \(withoutFullStop(meaning))"
        case .refusedWord(let word): "there is no `\(word)` in a scenario"
        case .misplacedWord(let word, let belongs): "`\(word)` does not belong here: \(belongs)"
        case .pointless(let word, let reason): "`\(word)` has no meaning here: \(reason)"
        case .tooFewBranches(let word): "`\(word)` needs at least two \(parts(of: word).name)"
        case .malformedReference(let text): "`\(text)` is not a complete reference"
        case .undefinedVariable(let name, _): "nothing called `\(name)` is defined"
        case .unreachableCapture(let name, let reason): "`\(name)` cannot be used here: \(reason)"
        case .overwrittenVariable(let name): "`\(name)` already has a value"
        case .unknownResultField(let field, let of, _): "\(of) has no field `\(field)`"
        case .mismatchedReference(let reference, let expected, let actual):
            "`${\(reference)}` is \(actual), but \(expected) is needed"
        case .unreadCapture(let name): "`\(name)` is never used"
        case .unsetEnvironmentVariable(let name): "the environment variable `\(name)` is not set"
        case .unknownMatcher(let word, _): "there is no matcher `\(word)`"
        case .matcherArgument(let matcher, let expected): "`\(matcher)` needs \(expected)"
        case .matcherForOtherType(let matcher, let needs, let what, let type):
            "`\(matcher)` needs \(needs), but \(what) is \(type)"
        case .malformedPattern(let pattern): "`\(pattern)` is not a regular expression"
        case .unknownExpectedField(let field, let of, _): "\(of) has no field `\(field)`"
        }
    }

    /// What to do about it, or nil when the sentence already says it.
    public var advice: String? {
        switch self {
        case .missingFile: "check the path; it is read relative to the current directory"
        case .missingLabFile:
            "it names the devices and their apps; `lab init` writes one to begin with, `--lab FILE` names one elsewhere"
        case .unreadableFile: "check the file's permissions"
        case .fileTooLarge: "split it into several files"
        case .notUTF8: "save the file as UTF-8"
        case .emptyFile: "an example of every file is in the folder `Scenarios`"
        case .malformedYAML(let problem): malformedYAMLAdvice(problem)
        case .unclosedQuote: "close it at the end of the value"
        case .textAfterQuote:
            "put a backslash before a quote between double quotes, and write one between single quotes twice"
        case .unquotedReference(let text): "write `\"\(text)\"`: a brace begins a mapping there"
        case .malformedTable: "write a line with names and then a line for each row, with commas between the values"
        case .tabIndentation: "indent with spaces"
        case .duplicateKey: "remove one of the two"
        case .keyIsNotText, .nestedTooDeeply, .wrongShape, .contradictingKeys, .emptyList, .misfit: nil
        case .severalDocuments: "move it to a file of its own"
        case .tooManyNodes(_, let usesAliases):
            usesAliases ? "write the values out instead of nesting aliases" : "split it into several files"
        case .unknownKey(let key, _, let known): suggestion(for: key, among: known)
        case .missingKey, .outOfRange, .missingParameter, .mismatchedReference, .matcherArgument, .matcherForOtherType:
            nil
        case .wrongType(_, let expected, _) where expected.hasPrefix("a duration"):
            "write a number with a unit: `250ms`, `2s`, `5m`, `1h` or `1d`"
        case .wrongType: nil
        case .notAChoice(_, let value, let choices): suggestion(for: value, among: choices)
        case .malformedName: "use letters, digits, `-` and `_`, at most 32 characters, beginning with a letter"
        case .reservedName(_, let name): "choose another word, for example `\(name)App` or `my-\(name)`"
        case .duplicateName: "rename one of the two"
        case .unknownName("error", let name, let known):
            suggestion(for: name, among: known, listing: "write the name or number of an error code, or `any`")
        case .unknownName(_, let name, let known): suggestion(for: name, among: known)
        case .unusableProgram(_, _, let advice): advice
        case .unknownTopology(let name, let known): suggestion(for: name, among: known)
        case .noCommand(let actors): "write `actor: command`, where the actor is \(listed(actors, by: "or"))"
        case .severalCommands: "make two steps of it"
        case .unknownActor(let name, let known): suggestion(for: name, among: known)
        case .unknownCommand(let command, _, let known):
            suggestion(for: command, among: known, listing: "`lab steps` lists all commands")
        case .misplacedCommand(_, _, _, _, let example): example.map { "write `\($0)`" }
        case .unknownParameter(let parameter, _, let known): suggestion(for: parameter, among: known)
        case .refusedWord(let word): refusedWordAdvice(word)
        case .misplacedWord, .pointless: nil
        case .tooFewBranches(let word): "write each as an element of a list: \(parts(of: word).form)"
        case .malformedReference: "write `${name}` or `${name.field}`, and `$${` for the characters themselves"
        case .undefinedVariable(let name, let known): suggestion(for: name, among: known)
        case .unreachableCapture: nil
        case .overwrittenVariable: "choose another name; a value is never overwritten"
        case .unknownResultField(let field, _, let known): suggestion(for: field, among: known)
        case .unreadCapture(let name): "remove `as: \(name)`, or check the value with `expect`"
        case .unsetEnvironmentVariable(let name): "export `\(name)`, or give the value a `default`"
        case .unknownMatcher(let word, let known): suggestion(for: word, among: known)
        case .malformedPattern: "put the pattern in single quotes, and escape `.`, `(` and `[` with a backslash"
        case .unknownExpectedField(let field, _, let known): suggestion(for: field, among: known)
        }
    }
}

/// What a word takes several of, and what one of them looks like.
private func parts(of word: String) -> (name: String, form: String) {
    switch word {
    case "either": ("ways", "`expect: …`, `fails: …`, or only `name: …` for success")
    case "order": ("events", "`{ event: …, peer: …, where: {…} }`")
    case "same": ("commands", "`actor: command`, each of which answers something")
    default: ("branches", "a step, or a list of steps")
    }
}

/// A meaning from the vocabulary inside a sentence.
private func withoutFullStop(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }

/// `a`, `a or b`, `a, b or c`.
public func listed(_ words: [String], by conjunction: String) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
    return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
}

/// The nearest candidate, or all of a short list, or the given hint about where a long list is.
private func suggestion(for word: String, among known: [String], listing: String? = nil) -> String? {
    if let candidate = nearest(word, among: known) { return "did you mean `\(candidate)`?" }
    if known.isEmpty { return listing }
    if let listing, known.count > 12 { return listing }
    return "possible here: " + known.map { "`\($0)`" }.joined(separator: ", ")
}

private func refusedWordAdvice(_ word: String) -> String {
    switch word {
    case "sleep", "delay", "pause":
        "to wait for something, put `eventually: 2s` on the step that checks it; to let lab time pass, write `advance: 5m`"
    case "wait": "put `eventually: 2s` on the step that checks the condition, or write `waitFor: { event: … }`"
    case "retry", "while", "until": "put `eventually: 2s` on the step: it is tried until its expectation holds"
    case "if", "else", "unless":
        "a scenario has one path; write two scenarios, or `rows` for variants of one; `when` skips a single step"
    case "loop": "write `repeat: 3` with the key `steps` beside it"
    default: "a scenario is a list of steps without an embedded language"
    }
}

private func malformedYAMLAdvice(_ problem: String) -> String? {
    if problem.contains("mapping values are not allowed") {
        return "a value with `: ` in it must be quoted, and nested keys go to the next line"
    }
    if problem.contains("cannot start any token") {
        return "a value that begins with `@`, `%`, a backquote or a tab must be quoted"
    }
    if problem.contains("did not find expected") {
        return "look for a missing bracket, quote or comma before this place, and at the indentation"
    }
    return nil
}
