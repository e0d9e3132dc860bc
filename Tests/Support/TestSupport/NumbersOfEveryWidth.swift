// SPDX-License-Identifier: Apache-2.0

/// A number of every width, in an object, in a list, and alone.
public struct NumbersOfEveryWidth: Encodable {
    private struct Inside: Encodable {
        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(Int8(-1))
            try list.encode(Int16(-2))
            try list.encode(Int32(-3))
            try list.encode(Int64(-4))
            try list.encode(UInt8(1))
            try list.encode(UInt16(2))
            try list.encode(UInt32(3))
            try list.encode(UInt64(4))
            try list.encode(UInt(5))
            try list.encode(Float(0.5))
            try list.encode(0.25)
            try list.encode(true)
            try list.encodeNil()
        }
    }
    private let int8 = Int8.min, int16 = Int16.min, int32 = Int32.min, int64 = Int64.min
    private let uint8 = UInt8.max, uint16 = UInt16.max, uint32 = UInt32.max, uint64 = UInt64.max, uint = UInt.max
    private let float = Float(0.5)
    private let alone = [
        "a": Alone(Int8(-1)), "b": Alone(Int16(-2)),
        "c": Alone(Int32(-3)), "d": Alone(Int64(-4)),
        "e": Alone(UInt8(1)), "f": Alone(UInt16(2)),
        "g": Alone(UInt32(3)), "h": Alone(UInt64(4)),
        "i": Alone(UInt(5)), "j": Alone(Float(0.5)),
        "k": Alone(true),
    ]
    private let inside = Inside()

    public init() {}
}

/// A number that is a value of its own, not a member or an element.
private struct Alone: Encodable {
    private let value: any Encodable
    init(_ value: any Encodable) { self.value = value }
    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
