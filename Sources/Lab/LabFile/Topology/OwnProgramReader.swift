// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabCore
import LabSystem
import LabVocabulary
import Synchronization

/// Reads which program of the user plays an app, and asks it for its vocabulary.
///
/// Used by one thread.
struct OwnProgramReader {
    let collector: DiagnosticCollector

    /// Reads `executable` and `settings` of an app.
    func read(_ reader: MappingReader, of app: YAMLNode) -> OwnProgram? {
        let path = reader.text("executable")
        let settings = reader.optional("settings")
        guard let path, let node = app["executable"] else {
            if let settings {
                collector.report(
                    .misfit(what: "`settings`", reason: "they are passed to an `executable`, which is not set here"),
                    at: settings.place)
            }
            return nil
        }
        // Where the file is that says so: a scenario may replace a program by one that lies beside it.
        let folder = Files.directory(of: Files.absolute(node.place.file.path))
        return OwnProgram(
            path: path.hasPrefix("/") ? path : Files.absolute("\(folder)/\(path)"), settings: read(settings))
    }

    private func read(_ settings: YAMLNode?) -> [String: String] {
        guard let settings else { return [:] }
        guard let entries = settings.entries else {
            collector.report(
                .wrongShape(what: "`settings`", expected: .mapping, actual: settings.shape), at: settings.place)
            return [:]
        }
        var values: [String: String] = [:]
        for entry in entries {
            if let text = entry.value.scalar?.text {
                values[entry.key] = text
            } else {
                collector.report(
                    .wrongShape(what: "`\(entry.key)`", expected: .value, actual: entry.value.shape),
                    at: entry.value.place)
            }
        }
        return values
    }

    /// Asks the programs of a topology that is going to be used.
    /// - Returns: The topology with their vocabularies; nil when a program cannot be used as it says.
    func ask(_ topology: Topology, at node: YAMLNode) -> Topology? {
        let before = collector.count
        var topology = topology
        for (deviceIndex, device) in topology.devices.enumerated() {
            for (index, app) in device.apps.enumerated() {
                guard let own = app.own,
                    let place = node["devices"]?[device.name]?["apps"]?[app.name]?["executable"]?.place
                else { continue }
                do throws(ProgramQuestion.Refusal) {
                    let vocabulary = try ProgramQuestion.vocabulary(of: own.path)
                    if let refusal = misfit(of: vocabulary, app) { throw refusal }
                    topology.devices[deviceIndex].apps[index].own?.vocabulary = vocabulary
                } catch {
                    collector.report(
                        .unusableProgram(path: own.path, reason: error.reason, advice: error.advice), at: place)
                }
            }
        }
        return collector.count == before ? topology : nil
    }

    private func misfit(of vocabulary: AppVocabulary, _ app: AppSpec) -> ProgramQuestion.Refusal? {
        if vocabulary.kind != app.kind {
            return .init(
                reason: "plays `kind: \(vocabulary.kind.rawValue)`, but `\(app.name)` is `kind: \(app.kind.rawValue)`",
                advice: "write `kind: \(vocabulary.kind.rawValue)`, or name another program")
        }
        guard vocabulary.sdk != app.powerAuth.sdk else { return nil }
        return .init(
            reason:
                "embeds `sdk: \(vocabulary.sdk.rawValue)`, but `\(app.name)` has `sdk: \(app.powerAuth.sdk.rawValue)`",
            advice: "write `powerAuth: { sdk: \(vocabulary.sdk.rawValue) }`, or name another program")
    }
}

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
        // Nothing interrupts this run.
        case .stillRunning, .interrupted:
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
