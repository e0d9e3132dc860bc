import LabKit
import LabSystem

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
    ///
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
