import CLabSystem
import Glibc

/// Reports which entries of a directory changed, by `inotify(7)`.
///
/// Thread rule: `changes()` from one thread at a time.
public final class DirectoryWatch: Sendable {
    /// The watched directory.
    public let path: String
    private let file: FileDescriptor

    /// Starts watching; every change after this call is reported.
    public init(_ path: String) throws {
        self.path = path
        file = FileDescriptor(owning: try SystemError.check(csystem_inotify_init(), "inotify_init1"), path: path)
        let mask = UInt32(IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE)
        try SystemError.check(csystem_inotify_add(file.rawValue, path, mask), "inotify_add_watch", path: path)
    }

    /// The descriptor to poll for reading: readable when changes wait.
    public var rawDescriptor: Int32 { file.rawValue }

    /// What happened since the last call, without waiting.
    ///
    /// - Returns: the names of changed entries, each once; nil when the kernel's queue overflowed and the caller
    ///   has to look at the whole directory.
    public func changes() throws -> Set<String>? {
        var names: Set<String> = []
        var overflowed = false
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = buffer.withUnsafeMutableBytes { bytes in
                retryingInterrupts { read(file.rawValue, bytes.baseAddress, bytes.count) }
            }
            if count < 0 {
                if errno == EAGAIN { return overflowed ? nil : names }
                throw SystemError.last("read", path: path)
            }
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                let header = MemoryLayout<inotify_event>.size
                while offset + header <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { overflowed = true }
                    let name = bytes[(offset + header)..<(offset + header + Int(event.len))].prefix { $0 != 0 }
                    if !name.isEmpty { names.insert(String(decoding: name, as: UTF8.self)) }
                    offset += header + Int(event.len)
                }
            }
        }
    }
}
