// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a client does about its counter after it saw the server's (protocol.md, section 12.3).
public enum CounterSynchronization {
    /// The decision.
    public enum Outcome: Sendable, Equatable {
        /// Nothing to do; the server catches up by itself if it is behind.
        case ok
        /// Store this counter data and byte.
        case updated(counter: CounterData, byte: UInt8)
        /// Close to the edge of the window: send a signature so that the server moves.
        case calculateSignature
        /// The counters can never meet again.
        case deadlock
    }

    /// The two decisions in which this implementation is better than the original.
    public struct Rules: Sendable, Equatable {
        /// A client ahead by exactly the look-ahead is lost too, because the server tests one value fewer
        /// (protocol.md, section 22, item 1).
        public var windowEdgeIsDeadlock: Bool
        /// A match of the hash is adopted even if the local byte was unknown (protocol.md, section 22, item 2).
        public var adoptsMatchWithoutLocalByte: Bool

        /// Takes both decisions.
        public init(windowEdgeIsDeadlock: Bool, adoptsMatchWithoutLocalByte: Bool) {
            self.windowEdgeIsDeadlock = windowEdgeIsDeadlock
            self.adoptsMatchWithoutLocalByte = adoptsMatchWithoutLocalByte
        }

        /// Both improvements.
        public static let improved = Self(windowEdgeIsDeadlock: true, adoptsMatchWithoutLocalByte: true)
        /// The original's behaviour.
        public static let original = Self(windowEdgeIsDeadlock: false, adoptsMatchWithoutLocalByte: false)
    }

    /// Decides for one decoded status.
    /// - Parameters:
    ///   - counter: local `CTR_DATA`.
    ///   - byte: local counter byte, nil when it is not known.
    ///   - blob: a blob without counter (3.0), or of a V2 activation, is always ``Outcome/ok``.
    public static func decide(
        counter: CounterData, byte: UInt8?, blob: StatusBlob, transportKey: TransportKey, rules: Rules = .improved
    ) -> Outcome {
        guard blob.currentVersion != 2, let server = blob.counter else { return .ok }
        let lookAhead = Int(server.lookAhead)
        let match = hashDistance(from: counter, to: server.dataHash, lookAhead: lookAhead, transportKey: transportKey)
        let step = Self.step(
            matchDistance: match?.distance, localByte: byte, serverByte: server.byte, lookAhead: lookAhead, rules: rules
        )
        switch (step, match) {
        case (.adopt, .some(let match)): return .updated(counter: match.counter, byte: server.byte)
        case (.catchUp, _): return .calculateSignature
        case (.deadlock, _): return .deadlock
        default: return .ok
        }
    }

    /// The decision without the counter data, whose form depends on the protocol.
    enum Step {
        case stay
        /// Take over the counter data that matched.
        case adopt
        /// Let the server see a newer value.
        case catchUp
        case deadlock
    }

    /// - Parameter matchDistance: how many steps the local counter data is behind the server's; nil when it is not within
    ///   the window.
    static func step(
        matchDistance: Int?, localByte: UInt8?, serverByte: UInt8, lookAhead: Int, rules: Rules
    ) -> Step {
        guard let localByte else {
            guard let matchDistance, matchDistance == 0 || rules.adoptsMatchWithoutLocalByte else { return .stay }
            return .adopt
        }
        let ahead = byteDistance(local: localByte, server: serverByte)
        if let matchDistance {
            if matchDistance == 0 && ahead == 0 { return .stay }
            return -ahead == matchDistance ? .adopt : .deadlock
        }
        guard ahead > 0 else { return .deadlock }
        if ahead > lookAhead || (rules.windowEdgeIsDeadlock && ahead == lookAhead) { return .deadlock }
        return ahead > lookAhead / 2 ? .catchUp : .stay
    }

    /// How many steps the local counter data is behind the server's, within the window.
    public static func hashDistance(
        from counter: CounterData, to hash: Data, lookAhead: Int, transportKey: TransportKey
    ) -> (distance: Int, counter: CounterData)? {
        let key = KDF.derive(transportKey, index: 4000, as: KeyPurpose.TransportCounter.self)
        var current = counter
        for distance in 0..<max(0, lookAhead) {
            if constantTimeEquals(StatusBlob.counterDataHash(key: key, counter: current), hash) {
                return (distance, current)
            }
            current = current.next()
        }
        return nil
    }

    /// Signed distance of two counters of which only the low bytes are known: positive when the client is
    /// ahead, negative when the server is, and the shorter way round.
    public static func byteDistance(local: UInt8, server: UInt8) -> Int {
        let difference = Int(local) - Int(server)
        var best = difference
        for candidate in [256 + difference, difference - 256] where abs(candidate) < abs(best) { best = candidate }
        return best
    }
}
