// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Body of `attach`: the identity of the process.
public struct AttachBody: Codable, Equatable, Sendable {
    /// Actor name of the app.
    public var name: String
    /// Process identifier.
    public var pid: Int32
    /// Number of the process among those of the same app, from 1.
    public var incarnation: Int

    /// Creates the body.
    public init(name: String, pid: Int32, incarnation: Int) {
        self.name = name
        self.pid = pid
        self.incarnation = incarnation
    }
}

/// Body of `welcome` on the app link: the agent that the process is attached to.
public struct AttachedBody: Codable, Equatable, Sendable {
    /// Process identifier of the agent. Its death is the crash of the device.
    public var agentPid: Int32

    /// Creates the body.
    public init(agentPid: Int32) { self.agentPid = agentPid }
}

/// What a watch session shows about the other side; body of `event`, and of `activate` from the agent.
public struct WatchCounterpartState: Codable, Equatable, Sendable {
    /// Phone: a watch is paired. Watch: always true.
    public var isPaired: Bool
    /// Whether the counterpart app is installed on the other device.
    public var isCounterpartInstalled: Bool
    /// Whether a live message would be delivered now (watch.md, section 9.3).
    public var isReachable: Bool
    /// Watch: whether the phone is out of reach because it was not unlocked since it started.
    public var needsUnlock: Bool
    /// Phone: whether the watch shows a complication of the app.
    public var isComplicationEnabled: Bool
    /// Phone: how many more transfers for the complication are brought at once today.
    public var remainingComplicationTransfers: Int
    /// Phone: data of a watch that is no longer used are still to be delivered; the session is inactive until then.
    public var isInactive: Bool

    /// Creates a state.
    public init(
        isPaired: Bool = false, isCounterpartInstalled: Bool = false, isReachable: Bool = false,
        needsUnlock: Bool = false, isComplicationEnabled: Bool = false, remainingComplicationTransfers: Int = 0,
        isInactive: Bool = false
    ) {
        self.isPaired = isPaired
        self.isCounterpartInstalled = isCounterpartInstalled
        self.isReachable = isReachable
        self.needsUnlock = needsUnlock
        self.isComplicationEnabled = isComplicationEnabled
        self.remainingComplicationTransfers = remainingComplicationTransfers
        self.isInactive = isInactive
    }
}

/// Body of `appState` from the agent: where the app is in its life.
public struct AppStateBody: Codable, Equatable, Sendable {
    /// True when the app comes to the foreground, false when it goes to the background.
    public var isForeground: Bool

    /// Creates the body.
    public init(isForeground: Bool) { self.isForeground = isForeground }
}

/// What a message, a transfer or a context may hold (watch.md, section 9.8). Both the app's session and the devices
/// check it, so that nothing else reaches a delegate.
public enum WatchContent {
    /// Greatest size of a message or a transfer in bytes, measured as binary property list for dictionaries.
    public static let messageLimit = 65_536
    /// Greatest size of an application context in bytes.
    public static let contextLimit = 262_144

    /// The dictionary in a binary property list; nil for any other bytes.
    public static func dictionary(in body: Data) -> [String: Any]? {
        guard BinaryPropertyList.holdsDictionary(body) else { return nil }
        return (try? PropertyListSerialization.propertyList(from: body, format: nil)) as? [String: Any]
    }

    /// Why content is refused.
    /// - Parameters:
    ///   - body: Raw data, or a binary property list.
    ///   - isPropertyList: Which of the two.
    ///   - limit: Greatest number of bytes.
    /// - Returns: A `WCError.Code`, or nil for content that is fine.
    public static func problem(in body: Data, isPropertyList: Bool, limit: Int) -> Int? {
        if isPropertyList, dictionary(in: body) == nil { return 7010 }
        return body.count > limit ? 7009 : nil
    }
}
