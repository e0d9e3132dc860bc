// SPDX-License-Identifier: Apache-2.0

import GRDB
import PowerAuthProtocol

/// Refuses requests and tokens that were seen before or come from the wrong time
/// (server.md, section 22, and section 30, item 1).
struct ReplayGuard: Sendable {
    let policy: ServerPolicy

    /// What kind of value is remembered; the stored number is for diagnosis only.
    enum Kind: Int {
        case macToken = 0
        case applicationScope = 1
        case activationScope = 2
        case version4 = 5
    }

    /// Admits the envelope of an encrypted request once. Envelopes without a timestamp (3.0, 3.1) pass.
    /// - Throws: `invalidRequest` outside the time window or for a value seen before.
    func admit(_ envelope: EciesRequest, activationId: Identifier?, in change: WriteTransaction) throws {
        guard let timestamp = envelope.timestamp else { return }
        let sent = ServerTime(milliseconds: Int64(clamping: timestamp))
        guard sent >= change.now.advanced(by: -policy.requestWindow),
            sent <= change.now.advanced(by: policy.requestWindow)
        else {
            throw ServiceError(
                .invalidRequest,
                "timestamp \(timestamp) is more than \(policy.requestWindow) ms from \(change.now.milliseconds)")
        }
        try remember(
            envelope.replayValue(activationId: activationId?.text),
            kind: activationId == nil ? .applicationScope : .activationScope,
            // While the timestamp is inside the window the value must be known, and not a moment less.
            until: sent.advanced(by: policy.requestWindow), in: change)
    }

    /// Admits the envelope of a request of protocol 4 once (protocol-4.md, section 7).
    /// - Throws: `invalidRequest` outside the time window or for a value seen before.
    func admit(_ envelope: AeadRequest, in change: WriteTransaction) throws {
        let window = FreshnessWindow.aead
        let verdict = window.verdict(timestamp: envelope.timestamp, now: UInt64(clamping: change.now.milliseconds))
        guard verdict == .fresh else {
            throw ServiceError(
                .invalidRequest, "timestamp \(envelope.timestamp) is \(verdict) at \(change.now.milliseconds)")
        }
        try remember(
            envelope.replayValue, kind: .version4,
            until: ServerTime(milliseconds: Int64(clamping: envelope.timestamp))
                .advanced(by: Int64(clamping: window.past)), in: change)
    }

    /// Admits a token header once; its age was checked before.
    /// - Parameters:
    ///   - header: its version decides how far in the future the timestamp may be. The identifier of its token, which is
    ///     part of the remembered value, is that of a row.
    ///   - sent: its timestamp.
    /// - Throws: `invalidRequest` for a timestamp too far in the future, or a header seen before.
    func admit(_ header: some TokenProof, sent: ServerTime, in change: WriteTransaction) throws {
        let window = header.forwardWindow(policy)
        guard sent <= change.now.advanced(by: window) else {
            throw ServiceError(
                .invalidRequest, "token timestamp \(sent.milliseconds) is more than \(window) ms in the future")
        }
        try remember(
            header.replayValue, kind: .macToken, until: sent.advanced(by: policy.tokenValidity), in: change)
    }

    /// Inserting is the test: the primary key makes it atomic.
    private func remember(_ value: String, kind: Kind, until expires: ServerTime, in change: WriteTransaction) throws {
        guard policy.isReplayVerified else { return }
        let database = change.database
        try database.cachedStatement(
            sql: "INSERT INTO unique_value (value, type, t_expire) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        ).execute(arguments: [value, kind.rawValue, expires.milliseconds])
        guard database.changesCount == 1 else {
            throw ServiceError(.invalidRequest, "replay: the same key and nonce were used before")
        }
        try database.cachedStatement(
            sql: """
                DELETE FROM unique_value WHERE value IN
                    (SELECT value FROM unique_value WHERE t_expire < ? ORDER BY t_expire LIMIT 4)
                """
        ).execute(arguments: [change.now.milliseconds])
    }
}
