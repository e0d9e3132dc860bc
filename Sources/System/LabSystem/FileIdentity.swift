import CLabSystem
import Glibc

/// Which file is at a path, and which content it has: another one after the file was replaced or written.
public struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// The file that is at a path.
    ///
    /// - Throws: `SystemError` if the file does not exist or may not be read.
    public init(of path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw SystemError.last("stat", path: path) }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
        size = Int64(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
