import Foundation
public import LabKit
import LabSystem
import Synchronization

/// Asks the program of an own app what it understands: runs it with `--vocabulary` and reads what it prints
/// (docs/own-app.md, "The vocabulary").
///
/// Thread rule: any thread; the call blocks until the program has ended.
public enum ProgramQuestion {
    /// Why a program cannot be used.
    public struct Refusal: Error, Equatable, Sendable {
        /// What is wrong with it, to follow its name.
        public let reason: String
        /// What to do about it.
        public let advice: String
    }

    /// The longest time that a program has to say what it understands.
    public static let patience = LabDuration.seconds(10).stretched
    /// More than any vocabulary is, in bytes.
    private static let limit = 4 << 20
    private static let answers = Mutex<[FileIdentity: Result<AppVocabulary, Refusal>]>([:])

    /// The vocabulary of a program, which is asked once for each content of its file.
    ///
    /// - Throws: ``Refusal`` when it does not answer, or declares what no scenario could use.
    public static func vocabulary(
        of path: String, within patience: LabDuration = patience
    ) throws(Refusal) -> AppVocabulary {
        guard let identity = try? FileIdentity(of: path) else {
            throw Refusal(
                reason: "does not exist",
                advice: "build it, for example with `swift build`; a relative path begins at the folder of this file")
        }
        if let known = answers.withLock({ $0[identity] }) { return try known.get() }
        let answer = Result { () throws(Refusal) in try ask(path, patience) }
        answers.withLock { $0[identity] = answer }
        return try answer.get()
    }

    private static func ask(_ path: String, _ patience: LabDuration) throws(Refusal) -> AppVocabulary {
        let run: ProgramRun
        do {
            run = try ProgramRun(
                path, [AppVocabulary.question], timeoutNanoseconds: patience.nanoseconds, limit: limit)
        } catch {
            throw Refusal(
                reason: "cannot be run: \((error as? SystemError)?.sentence ?? "\(error)")",
                advice: "name a program that is built for this machine, or make the file executable")
        }
        let lastWords = run.lastWords.isEmpty ? "" : "; its last line was: \(run.lastWords)"
        switch run.end {
        case .stillRunning:
            throw Refusal(
                reason: "has not ended within \(patience) of being asked for its vocabulary\(lastWords)",
                advice:
                    "with `\(AppVocabulary.question)` it must print its vocabulary and end; an app on `LabApp` does so")
        case .tooLong:
            throw Refusal(
                reason: "prints more than \(limit >> 20) MiB when asked for its vocabulary",
                advice: "with `\(AppVocabulary.question)` it must print its vocabulary and nothing else")
        case .ended(let status) where status != .exited(0):
            throw Refusal(
                reason: "\(status) when asked for its vocabulary\(lastWords)",
                advice: "run it with `\(AppVocabulary.question)` and see what it says")
        case .ended: return try read(run.output)
        }
    }

    private static func read(_ output: Data) throws(Refusal) -> AppVocabulary {
        guard let json = try? JSONValue.parse(output) else {
            let begin = String(decoding: output.prefix(60), as: UTF8.self).split(whereSeparator: \.isNewline).first
            throw Refusal(
                reason: "prints no vocabulary but \(begin.map { "`\($0)`" } ?? "nothing")",
                advice: "make it an app of `LabApp`, or let it print the JSON of docs/own-app.md")
        }
        if let version = json["version"]?.integerValue, version != AppVocabulary.version {
            throw Refusal(
                reason: "speaks version \(version) of the lab's protocol, and this lab speaks \(AppVocabulary.version)",
                advice: "build it with the package of this lab")
        }
        let vocabulary: AppVocabulary
        do {
            vocabulary = try AppVocabulary(json: json)
        } catch {
            throw Refusal(
                reason: "prints a vocabulary that cannot be read: \(error)",
                advice: "docs/own-app.md has the form of a vocabulary")
        }
        guard let mistake = vocabulary.mistakes.first else { return vocabulary }
        throw Refusal(reason: "declares what no scenario could use: \(mistake)", advice: "correct its declaration")
    }
}
