public import Foundation

/// CRC-16/ARC: reflected polynomial `0xA001`, initial value 0 (protocol.md, section 2.6).
public enum CRC16 {
    /// The check value of `data`.
    public static func checksum(_ data: Data) -> UInt16 {
        var crc: UInt16 = 0
        for byte in data {
            crc ^= UInt16(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xA001 : crc >> 1 }
        }
        return crc
    }

    /// `data` followed by its check value, big-endian.
    public static func appending(to data: Data) -> Data {
        let crc = checksum(data)
        return data + Data([UInt8(crc >> 8), UInt8(crc & 0xFF)])
    }

    /// Whether the last two bytes are the check value of the bytes before.
    public static func validates(_ data: Data) -> Bool {
        data.count >= 2 && appending(to: data.dropLast(2)) == data
    }
}
