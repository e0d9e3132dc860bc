// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Connections over TCP that need no library.
public enum TCPSocket {
    /// How long a host may take to say no, in nanoseconds.
    private static let patience: Int64 = 1_000_000_000

    /// Whether a host refuses connections at a port. False for a host that cannot be reached, or does not answer within
    /// a second.
    /// - Parameter host: a name or an IPv4 address.
    public static func isRefused(host: String, port: Int) -> Bool {
        var hints = addrinfo()
        hints.ai_family = AF_INET
        hints.ai_socktype = streamType
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let address = found else { return false }
        defer { freeaddrinfo(found) }
        guard let file = try? open(Int32(SOCK_NONBLOCK.rawValue)) else { return false }
        return withExtendedLifetime(file) {
            let number = file.rawValue
            if Glibc.connect(number, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 { return false }
            guard errno == EINPROGRESS else { return errno == ECONNREFUSED }
            guard (try? Polling.waitWritable(number, timeoutNanoseconds: patience)) == true else { return false }
            var (error, size): (Int32, socklen_t) = (0, socklen_t(MemoryLayout<Int32>.size))
            return getsockopt(number, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == ECONNREFUSED
        }
    }

    /// Listens on loopback, at a port that the system chooses.
    public static func listenOnLoopback() throws -> (file: FileDescriptor, port: Int) {
        let file = try open()
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withSocketAddress(&address) { pointer in
            guard bind(file.rawValue, pointer, length) == 0, listen(file.rawValue, SOMAXCONN) == 0,
                getsockname(file.rawValue, pointer, &length) == 0
            else { throw SystemError.last("listen") }
        }
        return (file, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Waits for the next connection; nil after ``end(_:)`` of the listening socket.
    public static func accept(_ listener: FileDescriptor) -> FileDescriptor? {
        // Not close-on-exec, which needs no care: programs are started with three descriptors and no other.
        let number = retryingInterrupts { Glibc.accept(listener.rawValue, nil, nil) }
        return number < 0 ? nil : FileDescriptor(owning: number)
    }

    /// Connects to a port on loopback.
    public static func connectToLoopback(port: Int) throws -> FileDescriptor {
        let file = try open()
        var address = loopback(port: port)
        try withSocketAddress(&address) { pointer in
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard retryingInterrupts({ Glibc.connect(file.rawValue, pointer, length) }) == 0 else {
                throw SystemError.last("connect")
            }
        }
        return file
    }

    /// Ends a connection in both directions, or the waiting for connections; a reader sees the end.
    public static func end(_ file: FileDescriptor) { shutdown(file.rawValue, Int32(SHUT_RDWR)) }

    private static var streamType: Int32 { Int32(SOCK_STREAM.rawValue) }

    private static func open(_ flags: Int32 = 0) throws -> FileDescriptor {
        let number = socket(AF_INET, streamType | Int32(SOCK_CLOEXEC.rawValue) | flags, 0)
        guard number >= 0 else { throw SystemError.last("socket") }
        return FileDescriptor(owning: number)
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(clamping: port)).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }

    private static func withSocketAddress(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) throws -> Void
    ) rethrows {
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { try body($0) }
        }
    }
}
