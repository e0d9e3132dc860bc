// SPDX-License-Identifier: Apache-2.0

import LabPoints
import LabSystem

/// One rule in the mapped fault table.
///
/// A slot is 512 bytes: state (4), fired (4), arming id (4), action (4), pass (4), limit (4), delay ns (8), passed (4), four
/// unused bytes, then texts of 112 bytes each, zero-terminated: point, process, error, subject. A rule is written before its
/// state says `armed`, so a process that reads while another arms sees nothing or all of it.
struct FaultSlot {
    // The table: a header of magic (4), version (4), number of live rules and one more while turns are given (4), last
    // arming id (4); from 256 the slots; behind them the turns, as `TurnPage` says.
    static let layoutVersion: UInt32 = 5
    static let liveCountOffset = 8
    static let lastArmingOffset = 12
    static let turnsOffset = headerSize + FaultTable.slotCount * slotSize
    static let tableSize = turnsOffset + TurnPage.size
    /// Where all slots are.
    static let slots = headerSize..<turnsOffset
    /// The bytes of a text with the zero behind it.
    static let textSize = 112

    private static let headerSize = 256
    private static let slotSize = 512
    private static let armed: UInt32 = 1

    let memory: MappedMemory
    let index: Int

    private var base: Int { Self.headerSize + index * Self.slotSize }
    private var state: MappedWord32 { memory.word32(at: base) }
    private var fired: MappedWord32 { memory.word32(at: base + 4) }
    private var arming: MappedWord32 { memory.word32(at: base + 8) }
    private var action: MappedWord32 { memory.word32(at: base + 12) }
    private var pass: MappedWord32 { memory.word32(at: base + 16) }
    private var limit: MappedWord32 { memory.word32(at: base + 20) }
    private var delay: MappedWord64 { memory.word64(at: base + 24) }
    private var passed: MappedWord32 { memory.word32(at: base + 32) }

    var isArmed: Bool { state.loadAcquire() == Self.armed }

    /// Whether the rule has fired as often as it may.
    var isSpent: Bool {
        let limit = limit.loadRelaxed()
        return limit != 0 && fired.loadRelaxed() >= limit
    }

    /// Writes a rule; the table's lock is held.
    func write(_ rule: FaultRule, arming id: UInt32) throws {
        var error = ""
        var delayNanoseconds: Int64 = 0
        let number: UInt32
        switch rule.action {
        case .kill: number = 1
        case .delay(let duration):
            number = 2
            delayNanoseconds = duration.nanoseconds
        case .fail(let name):
            number = 3
            error = name
        }
        for text in [rule.point.rawValue, rule.process, error, rule.subject ?? ""]
        where text.utf8.count >= Self.textSize {
            throw InstanceError.faultTextTooLong(text, bytes: Self.textSize - 1)
        }
        clear()
        MemoryFence.release()
        fired.storeRelaxed(0)
        passed.storeRelaxed(0)
        arming.storeRelaxed(id)
        action.storeRelaxed(number)
        pass.storeRelaxed(UInt32(clamping: rule.pass))
        limit.storeRelaxed(UInt32(clamping: rule.limit))
        delay.storeRelaxed(UInt64(bitPattern: delayNanoseconds))
        store(rule.point.rawValue, field: 0)
        store(rule.process, field: 1)
        store(error, field: 2)
        store(rule.subject ?? "", field: 3)
        state.storeRelease(Self.armed)
    }

    /// Frees the slot; the table's lock is held.
    func clear() { state.storeRelease(0) }

    /// The rule in the slot; nil when it is free, was changed while reading, or holds nonsense.
    func read() -> FaultTable.Armed? {
        guard isArmed else { return nil }
        let id = arming.loadRelaxed()
        let rule = rule()
        let (count, passes) = (fired.loadRelaxed(), passed.loadRelaxed())
        MemoryFence.acquire()
        guard state.loadRelaxed() == Self.armed, arming.loadRelaxed() == id, let rule else { return nil }
        return FaultTable.Armed(id: id, rule: rule, fired: Int(count), passed: Int(passes))
    }

    /// Counts a pass that the rule is about, whether it fires or not.
    func countPass() { passed.add(1) }

    /// Counts a firing; nil when the limit was reached, perhaps by another process in this moment.
    func claimFiring(limit: Int) -> Int? {
        while true {
            let before = fired.loadRelaxed()
            if limit != 0, before >= limit { return nil }
            if fired.compareExchange(expected: before, desired: before &+ 1) { return Int(before) + 1 }
        }
    }

    private func rule() -> FaultRule? {
        guard let point = FaultPoint(rawValue: text(field: 0)) else { return nil }
        let action: FaultRule.Action
        switch self.action.loadRelaxed() {
        case 1: action = .kill
        case 2: action = .delay(LabDuration(nanoseconds: Int64(bitPattern: delay.loadRelaxed())))
        case 3: action = .fail(text(field: 2))
        default: return nil
        }
        let subject = text(field: 3)
        return FaultRule(
            point: point, process: text(field: 1), action: action, subject: subject.isEmpty ? nil : subject,
            pass: Int(pass.loadRelaxed()), limit: Int(limit.loadRelaxed()))
    }

    private func textOffset(_ field: Int) -> Int { base + 40 + field * Self.textSize }

    private func store(_ text: String, field: Int) { memory.store(text, at: textOffset(field)) }

    private func text(field: Int) -> String { memory.text(at: textOffset(field)) }
}

/// Texts in the fault table: `FaultSlot.textSize` bytes each, ended by a zero.
extension MappedMemory {
    /// Writes a text that is shorter than its place; the offset is a multiple of 8.
    func store(_ text: String, at offset: Int) {
        // Word by word, because another process may be reading the slot it saw armed a moment ago.
        var bytes = Array(text.utf8)
        bytes.append(contentsOf: repeatElement(0, count: FaultSlot.textSize - bytes.count))
        for index in stride(from: 0, to: FaultSlot.textSize, by: 8) {
            let word = bytes[index..<(index + 8)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            word64(at: offset + index).storeRelaxed(word)
        }
    }

    /// The text at an offset, a multiple of 8.
    func text(at offset: Int) -> String {
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: FaultSlot.textSize, by: 8) {
            var word = word64(at: offset + index).loadRelaxed()
            for _ in 0..<8 {
                let byte = UInt8(truncatingIfNeeded: word)
                if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
                bytes.append(byte)
                word >>= 8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
