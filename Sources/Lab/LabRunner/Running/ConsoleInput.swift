import Foundation
import LabSystem
import Synchronization

/// Lines typed by a person. Thread rule: one thread at a time.
final class ConsoleInput: Sendable {
    private let descriptor: Int32
    private let buffer = Mutex<[UInt8]>([])

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// The next line; nil at the end of the input, or if the run was interrupted.
    func line(interruption: Interruption) -> String? {
        guard let bell = try? EventDescriptor() else { return nil }
        return interruption.reaching({ bell.signal() }) {
            while true {
                if let line = takeLine() { return line }
                guard let readable = try? Polling.waitReadable([descriptor, bell.rawDescriptor]), !readable[1] else {
                    return nil
                }
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = read(descriptor, &bytes, bytes.count)
                guard count > 0 else { return nil }
                buffer.withLock { $0 += bytes[..<count] }
            }
        }
    }

    private func takeLine() -> String? {
        buffer.withLock { buffer in
            guard let end = buffer.firstIndex(of: 0x0A) else { return nil }
            defer { buffer.removeFirst(end + 1) }
            return String(decoding: buffer[..<end], as: UTF8.self)
        }
    }
}
