/// Addresses of packets (watch.md, section 3.4).
package enum WatchTarget {
    private static let sessionPrefix = "session:"
    private static let tokenPrefix = "token:"

    /// Status commands of an instance.
    package static func session(_ instanceId: String) -> String { sessionPrefix + instanceId }
    /// Token commands of an instance.
    package static func token(_ instanceId: String) -> String { tokenPrefix + instanceId }

    /// Whose status a target is about; nil for other targets.
    static func instanceOfSession(_ target: String) -> String? { suffix(of: target, after: sessionPrefix) }
    /// Whose tokens a target is about; nil for other targets.
    static func instanceOfToken(_ target: String) -> String? { suffix(of: target, after: tokenPrefix) }

    private static func suffix(of target: String, after prefix: String) -> String? {
        target.hasPrefix(prefix) ? String(target.dropFirst(prefix.count)) : nil
    }
}
