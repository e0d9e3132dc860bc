import Foundation

extension StateAtStep {
    /// The document for programs, with sorted keys.
    public func rendered() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }

    /// The lines for people.
    public var lines: [String] {
        let place = step.map { "after step \($0)" } ?? "before the first step"
        let heading = "\(place) of \(scenario) in run \(run), \(Self.time(milliseconds)) after it began:"
        return [heading] + rows.flatMap { name, lines in lines.isEmpty ? [] : InspectionText.rows(name, lines) }
    }

    private var rows: [(name: String, lines: [String])] {
        let clock = clock.map { [text($0)] } ?? []
        return [
            ("processes", processes.map(text)), ("sessions", sessions.map(text)), ("keychain", keychain.map(text)),
            ("locks", locks.map(text)), ("operations", operations.map(text)), ("server", activations.map(text)),
            ("requests", requests.map(text)), ("links", links.map(text)),
            ("watch sessions", watchSessions.map(text)), ("devices", lockedDevices.map { "\($0) is locked" }),
            ("clock", clock),
        ]
    }

    private func text(_ request: Request) -> String {
        "\(request.app) waits for \(request.path), since \(Self.time(request.milliseconds))"
    }

    private func text(_ process: Process) -> String {
        let name = "\(process.name)#\(process.incarnation)"
        switch process.state {
        case .running: return "\(name) runs" + (process.pid.map { " (pid \($0))" } ?? "")
        case .suspended: return "\(name) is suspended"
        case .ended: return "\(name) has ended" + (process.reason.map { ": \($0)" } ?? "")
        }
    }

    private func text(_ session: Session) -> String {
        let activation = session.hasActivation.map { $0 ? "an activation" : "no activation" }
        let counter = session.counter.map { "counter \($0)" }
        let tokens =
            session.tokens.isEmpty
            ? nil : "token\(session.tokens.count > 1 ? "s" : "") \(session.tokens.joined(separator: ", "))"
        return "\(session.app): \([activation, counter, tokens].compactMap(\.self).joined(separator: ", "))"
    }

    private func text(_ item: Item) -> String {
        "\(item.accessGroup) \(item.service) \(item.account), written by \(item.writer)"
    }

    private func text(_ lock: Lock) -> String {
        let what = lock.isHeld ? "holds" : "waits for"
        return "\(lock.app) \(what) the \(lock.lock) lock, since \(Self.time(lock.milliseconds))"
    }

    private func text(_ operation: Operation) -> String {
        "\(operation.type) of \(operation.app), since \(Self.time(operation.milliseconds))"
    }

    private func text(_ activation: Activation) -> String {
        "activation \(activation.activationId) is \(activation.status)"
            + (activation.reason.map { " (\($0))" } ?? "")
    }

    private func text(_ link: Link) -> String {
        let ends = link.endsThatAreUp
        let state = ends.isEmpty ? "down" : ends.count == 1 ? "up for \(ends[0]) only" : "up"
        let count = link.underWay.count
        let messages = count == 0 ? "" : ", \(count) guaranteed message\(count > 1 ? "s" : "") under way"
        return "\(link.link) is \(state)\(messages)"
    }

    private func text(_ session: WatchSession) -> String {
        let paired = session.isPaired ? "paired" : "not paired"
        let installed = session.isInstalled ? "counterpart installed" : "counterpart not installed"
        return "\(session.app): \(paired), \(installed), \(session.isReachable ? "reachable" : "not reachable")"
    }

    private func text(_ clock: Clock) -> String {
        let rate = clock.isFrozen ? "stands still" : clock.rate == 1 ? "runs" : "runs \(clock.rate) times as fast"
        return "\(Self.time(Double(clock.offset))) ahead, \(rate)"
    }

    private static func time(_ milliseconds: Double) -> String {
        milliseconds < 1000
            ? String(format: "%.1f ms", milliseconds) : String(format: "%.2f s", milliseconds / 1000)
    }
}
