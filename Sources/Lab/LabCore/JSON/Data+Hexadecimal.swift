// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Data {
    /// Two lower-case hexadecimal digits for each byte. `String(format:)` would load a locale, at every app's launch.
    public var hexadecimal: String { map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined() }
    /// A device token as commands and push services write it.
    public var deviceTokenText: String { hexadecimal }

    /// The token that a text stands for; nil unless it has two hexadecimal digits for each byte.
    public init?(deviceTokenText text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) })
    }
}
