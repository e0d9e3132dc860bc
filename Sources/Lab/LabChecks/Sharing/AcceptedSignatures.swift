import LabKit

/// Signatures at the server.
///
/// The request of an app that has died may still be on its way while its locks are free: the next app's request then
/// overtakes it, and the server refuses a counter that is behind its own (protocol.md, section 12).
struct AcceptedSignatures: Checker {
    let name = "signatures"
    let rule = """
        The server accepts every signature, as long as the activation is active there; but a dead app's request that \
        another app's has overtaken may be refused.
        """

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        var states: [String: [TraceEvent]] = [:]
        var signatures: [TraceEvent] = []
        var uses: [String: TraceEvent] = [:]
        for event in history.events {
            try budget.spend()
            switch event.name {
            case .serverActivation: states[event.text("activationId") ?? "", default: []].append(event)
            case .serverSignature: signatures.append(event)
            case .counterUsed: if let operation = event.operation { uses[operation] = event }
            default: break
            }
        }
        var finding = Finding(examined: signatures.count)
        for signature in signatures {
            try budget.spend()
            let isRight = signature.fields["valid"] == true && (signature.number("failedAttempts") ?? 0) == 0
            let changes = states[signature.text("activationId") ?? ""] ?? []
            let use = signature.operation.flatMap { uses[$0] }
            let begin = use?.time ?? signature.time - min(signature.time, SharingCheckers.lateness)
            guard !isRight, Self.isActive(changes, from: begin, to: signature.time) else { continue }
            if let use, !history.lives(use.incarnationOfProcess, after: signature.time),
                signatures.contains(where: { Self.overtakes($0, signature, made: use, uses) })
            {
                continue
            }
            finding.breaches.append(
                Breach(
                    "The server refused a signature of \(use?.incarnationOfProcess.description ?? "an app").",
                    [changes.last { $0.time <= begin }, use, signature].compactMap(\.self)))
        }
        return finding
    }

    /// Whether a signature that was made later than another one of the activation was accepted before that was judged.
    private static func overtakes(
        _ other: TraceEvent, _ signature: TraceEvent, made use: TraceEvent, _ uses: [String: TraceEvent]
    ) -> Bool {
        guard other.fields["valid"] == true, other.text("activationId") == signature.text("activationId"),
            let later = other.operation.flatMap({ uses[$0] })
        else { return false }
        return later.time > use.time && other.time < signature.time + SharingCheckers.lateness
    }

    /// Whether an activation was active all the time from the making of a signature to the server's verdict.
    private static func isActive(_ changes: [TraceEvent], from begin: UInt64, to end: UInt64) -> Bool {
        guard changes.last(where: { $0.time <= begin })?.text("to") == "ACTIVE" else { return false }
        return !changes.contains {
            $0.time > begin && $0.time < end + SharingCheckers.lateness && $0.text("to") != "ACTIVE"
        }
    }
}
