import Foundation

/// The byte layouts protocol.md, section 1 names.
enum BinaryLayout {
    /// `Join(a, b, …)`: each item after its length as `BE32`.
    static func join(_ items: [Data]) -> Data {
        var output = Data(count: items.reduce(0) { $0 + 4 + $1.count })
        output.withUnsafeMutableBytes { output in
            var offset = 0
            for item in items {
                output.storeBytes(of: UInt32(clamping: item.count).bigEndian, toByteOffset: offset, as: UInt32.self)
                item.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(rebasing: output[(offset + 4)...]).copyMemory(from: $0)
                }
                offset += 4 + item.count
            }
        }
        return output
    }

    /// `BE16`, `BE32` or `BE64`, by the type of the number.
    static func bigEndian(_ number: some FixedWidthInteger) -> Data {
        Swift.withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }
}
