// SPDX-License-Identifier: Apache-2.0

/// A test's instance was not clean when it ended, or one of its apps had died by itself.
public struct InstanceLeftovers: Error, CustomStringConvertible, Sendable {
    /// What was left or went wrong, one sentence each.
    public let complaints: [String]
    /// Where traces and logs were kept.
    public let directory: String

    /// The complaints and where to look.
    public var description: String {
        "The instance was not left clean: \(complaints.joined(separator: "; ")). Records: \(directory)"
    }
}

/// A test's body threw; traces and logs were kept.
public struct FailedInstanceTest: Error, CustomStringConvertible, Sendable {
    /// What the body threw.
    public let error: any Error
    /// What was left of the instance, one sentence each.
    public let leftovers: [String]
    /// Where traces and logs were kept.
    public let directory: String
    /// The page of the test; nil when it has none.
    var page: String?

    /// The error and where to look.
    public var description: String {
        let rest = leftovers.isEmpty ? "" : " Also: \(leftovers.joined(separator: "; "))."
        return "\(error).\(rest) " + (page.map { "Page: \($0)" } ?? "Records: \(directory)")
    }
}
