// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
package import LabFile
import LabSystem

// Steps of other files: functions with parameters and outputs.
extension StepReader {
    package func include(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        closeKeys(of: node, word: "include", allowed: ["note", "with", "as"])
        guard let relative = entry.value.scalar?.text else {
            return collector.refuse(
                .wrongShape(what: "`include`", expected: .value, actual: entry.value.shape), at: entry.value.place)
        }
        let location = IncludedFiles.location(of: relative, in: directory)
        func refuse(_ reason: String) -> Step.Action? {
            return collector.refuse(.misfit(what: "`include: \(relative)`", reason: reason), at: entry.value.place)
        }
        let included: IncludedFiles.Included
        switch files.read(location) {
        case .success(let read): included = read
        case .failure(let refusal): return refuse(refusal.sentence)
        }
        guard !including.contains(included.identity) else { return refuse("the file includes itself") }
        guard including.count < 16 else { return refuse("includes are nested deeper than 16 files") }
        let inner = Scope(ofFileIncludedBy: path, from: scope)
        guard let with = arguments(node["with"]) else {
            // What the file hands out is not known.
            scope.assumeMore()
            return nil
        }
        let call = IncludeCall(name: relative, place: entry.value.place, with: with, rename: node["as"])
        let read = collector.reading(included.file, includedAt: call.place) {
            () -> (steps: [Step], outputs: [Output]?)? in
            guard let root = YAMLDocument.parse(included.file, reporting: collector),
                let reader = MappingReader(root, container: "an included file", reporting: collector)
            else { return nil }
            reader.declare("name", "about")
            readParameters(reader, of: call, into: inner)
            let outputs = readOutputs(reader)
            let stepsNode = reader.required("steps")
            reader.finish()
            guard let stepsNode else { return nil }
            let steps = StepReader(
                actors: actors, scope: inner, collector: collector, secrets: secrets, files: files,
                directory: Files.directory(of: location), including: including + [included.identity],
                prefix: "\(path)."
            ).read(stepsNode, what: "`steps`")
            for output in outputs ?? [] { check(output, keptIn: inner) }
            return (steps, outputs)
        }
        guard let read else { return nil }
        hand(read.outputs, of: call, from: inner)
        return .included(path: relative, steps: read.steps)
    }

    /// One use of an included file.
    private struct IncludeCall {
        let name: String
        let place: SourcePlace
        let with: Arguments
        let rename: YAMLNode?
    }

    /// A value that an included file returns to its includer.
    private struct Output {
        let name: String
        let place: SourcePlace
    }

    // MARK: Outputs

    /// `outputs:` of an included file: names with their meanings. Nil if unreadable.
    private func readOutputs(_ reader: MappingReader) -> [Output]? {
        let entries = reader.namedEntries("outputs")
        return reader.node["outputs"] == nil ? [] : entries?.map { Output(name: $0.key, place: $0.keyPlace) }
    }

    /// Reports an output that no step captures, unless that is due to another error.
    private func check(_ output: Output, keptIn inner: Scope) {
        if inner.entries[output.name]?.isCapture == true || inner.lacksNames { return }
        let hidden = inner.hiddenEntry(output.name)
        collector.report(
            .misfit(
                what: "the output `\(output.name)`",
                reason: hidden?.reason ?? "no step of the file keeps it with `as`"),
            at: output.place, related: hidden.map { RelatedPlace("kept at", $0.place) })
    }

    /// Defines the outputs in the includer's scope, under the names that it chooses.
    private func hand(_ outputs: [Output]?, of call: IncludeCall, from inner: Scope) {
        guard let outputs else { return scope.assumeMore() }
        let before = collector.count
        if let rename = call.rename, rename.entries == nil {
            collector.report(
                .wrongShape(what: "`as` of `include`", expected: .mapping, actual: rename.shape), at: rename.place)
            rename.scalar.map { scope.assume($0.text, at: rename.place) }
        }
        for entry in call.rename?.entries ?? [] where !outputs.contains(where: { $0.name == entry.key }) {
            collector.report(
                .unknownKey(key: entry.key, container: "what `\(call.name)` hands out", known: outputs.map(\.name)),
                at: entry.keyPlace)
            entry.value.scalar.map { scope.assume($0.text, at: entry.value.place) }
        }
        for (name, entry) in inner.entries
        where inner.isCaptured(entry) && !outputs.contains(where: { $0.name == name }) {
            scope.withhold(name, at: entry.place, by: call.name)
        }
        if inner.lacksNames { scope.assumeMore() }
        let isRight = collector.count == before
        for output in outputs {
            let chosen = call.rename?[output.name]
            let name = chosen?.scalar?.text ?? output.name
            // A name that a wrong `as` should have renamed causes no clash.
            guard let entry = inner.entries[output.name], chosen != nil || isRight else {
                scope.assume(name, at: chosen?.place ?? call.place)
                continue
            }
            if chosen == nil, let taken = scope.lookup(name) {
                collector.report(
                    .misfit(
                        what: "`include: \(call.name)`",
                        reason:
                            "it hands out `\(name)`, which already has a value; choose another name with `as: { \(name): … }`"
                    ), at: call.place, related: RelatedPlace("given at", taken.place))
                continue
            }
            scope.define(
                name, output: entry, actors: inner.alias(output.name), at: chosen?.place ?? call.place,
                reporting: collector)
        }
    }

    // MARK: Parameters

    /// The types that a parameter can have, by their names.
    static let parameterTypes: [String: FieldType] = [
        "text": .text, "secret": .secret, "integer": .integer, "number": .number, "boolean": .boolean,
        "duration": .duration, "list": .list(.any), "map": .map, "any": .any,
    ]

    private struct Parameter {
        let name: String
        let type: FieldType
        let fallback: YAMLNode?
        let meaning: String?
        let place: SourcePlace
    }

    private func readParameters(_ reader: MappingReader, of call: IncludeCall, into inner: Scope) {
        let declared = (reader.namedEntries("parameters") ?? []).map(readParameter)
        let unknown = (call.with.node?.entries ?? []).filter { entry in !declared.contains { $0.name == entry.key } }
        let misspelled = unknown.compactMap { nearest($0.key, among: declared.map(\.name)) }
        for parameter in declared {
            if let value = call.with.node?[parameter.name] {
                // Read by its type at once, so that a mistake is reported at the call and not where the file uses it.
                let values = call.with.values
                let isFine = values.read(value, as: parameter.type, what: "`\(parameter.name)`") != nil
                let binding: Scope.Binding = isFine ? .constant(value, in: values.scope) : .typed(parameter.type)
                inner.define(parameter.name, binding, at: value.place, reporting: collector)
            } else if let fallback = parameter.fallback {
                let own = ValueReader(scope: inner, collector: collector, secrets: secrets)
                _ = own.read(fallback, as: parameter.type, what: "the default of `\(parameter.name)`")
                inner.define(parameter.name, .constant(fallback, in: nil), at: fallback.place, reporting: collector)
            } else {
                if !misspelled.contains(parameter.name) {
                    collector.report(
                        .missingParameter(
                            parameter: parameter.name, command: call.name,
                            meaning: parameter.meaning ?? "it has no default there"),
                        at: call.with.node?.place ?? call.place, related: RelatedPlace("declared at", parameter.place))
                }
                inner.define(parameter.name, .typed(parameter.type), at: call.place, reporting: collector)
            }
        }
        for entry in unknown {
            collector.report(
                .unknownParameter(parameter: entry.key, command: call.name, known: declared.map(\.name)),
                at: entry.keyPlace,
                related: declared.isEmpty ? nil : RelatedPlace("declared at", reader.place(of: "parameters")))
        }
    }

    /// `name: { type: …, default: …, meaning: … }`, or `name: default` for any type; an empty `name:` is required.
    private func readParameter(_ entry: YAMLEntry) -> Parameter {
        guard entry.value.entries != nil,
            let reader = MappingReader(entry.value, container: "a parameter", reporting: collector)
        else {
            let fallback = entry.value.isNull ? nil : entry.value
            return Parameter(name: entry.key, type: .any, fallback: fallback, meaning: nil, place: entry.keyPlace)
        }
        let word = reader.choice("type", of: Self.parameterTypes.keys.sorted())
        let fallback = reader.optional("default")
        let meaning = reader.text("meaning")
        reader.finish()
        return Parameter(
            name: entry.key, type: word.flatMap { Self.parameterTypes[$0] } ?? .any, fallback: fallback,
            meaning: meaning, place: entry.keyPlace)
    }
}

extension Scope.Entry {
    /// Whether a step captures the value.
    fileprivate var isCapture: Bool { if case .typed = binding { true } else { false } }
}

/// The files that a scenario includes, each read once, so that a mistake in a file included twice is reported once.
///
/// Not thread-safe: used by the one thread that reads the scenario.
package final class IncludedFiles {
    package struct Included {
        package let file: SourceFile
        /// The path without links and `..`: equal for all spellings of the same file.
        package let identity: String
    }

    /// Why a file is not included.
    package enum Refusal: Error {
        /// It lies outside of the folders that a scenario may read, after resolving links and `..`.
        case outside
        case unreadable(Diagnostic)

        /// The reason in a sentence.
        package var sentence: String {
            switch self {
            case .outside: "the file lies outside of the folder of `lab.yaml`, and a scenario reads no others"
            case .unreadable(let diagnostic): diagnostic.kind.sentence
            }
        }
    }

    /// Readable folders, without links.
    private let folders: [String]
    private var known: [String: SourceFile] = [:]

    /// - Parameters:
    ///   - labFile: the project's `lab.yaml`, whose folder may be read.
    ///   - scenario: the scenario; its folder may be read as well, if it lies elsewhere.
    package init(labFile: String, scenario: String) {
        folders = [labFile, scenario].map { Self.identity(of: Files.directory(of: $0)) }
    }

    /// The files read so far, each by its path without links.
    var identities: Set<String> { Set(known.keys) }

    /// Reads a file, or returns the one read before.
    package func read(_ path: String) -> Result<Included, Refusal> {
        let identity = Self.identity(of: path)
        guard folders.contains(where: { identity.hasPrefix($0 == "/" ? $0 : $0 + "/") }) else {
            return .failure(.outside)
        }
        if let file = known[identity] { return .success(Included(file: file, identity: identity)) }
        return SourceFile.read(path).map { file in
            known[identity] = file
            return Included(file: file, identity: identity)
        }.mapError(Refusal.unreadable)
    }

    /// The path of a file that a file in some directory names.
    package static func location(of name: String, in directory: String) -> String {
        directory == "." || name.hasPrefix("/") ? name : "\(directory)/\(name)"
    }

    /// The path without links and `..`.
    package static func identity(of path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
    }
}
