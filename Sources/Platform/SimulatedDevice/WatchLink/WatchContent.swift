public import Foundation

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
    ///
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
