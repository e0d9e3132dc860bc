internal import Foundation

/// The byte layouts protocol.md, section 1 names.
enum BinaryLayout {
    /// `Join(a, b, …)`: each item after its length as `BE32`.
    static func join(_ items: [Data]) -> Data {
        var output = Data(capacity: items.reduce(0) { $0 + 4 + $1.count })
        for item in items {
            append(UInt32(clamping: item.count), to: &output)
            output.append(item)
        }
        return output
    }

    static func append(_ number: some FixedWidthInteger, to data: inout Data) {
        Swift.withUnsafeBytes(of: number.bigEndian) { data.append(contentsOf: $0) }
    }

    /// `BE16`, `BE32` or `BE64`, by the type of the number.
    static func bigEndian(_ number: some FixedWidthInteger) -> Data {
        Swift.withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }
}
