public import Foundation

extension Data {
    /// A device token as commands and push services write it: lower-case hexadecimal digits.
    public var deviceTokenText: String {
        map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
