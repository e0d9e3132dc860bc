public import Foundation
import PowerAuthProtocol
import Synchronization

/// A password that is kept masked in memory and wiped when it is released (protocol.md, section 14.5).
///
/// Objects of this class keep their content until ``secureClear()``; ``PowerAuthCoreMutablePassword`` can be edited.
/// Thread rule: any thread.
///
/// Unchecked: the class must stay open for its mutable subclass, which the compiler does not accept for `Sendable`. The
/// only stored property is a mutex, and the subclass adds no state.
public class PowerAuthCorePassword: Equatable, @unchecked Sendable {
    /// The masked UTF-8 bytes.
    let content: Mutex<MaskedBytes>

    init(content: MaskedBytes) {
        self.content = Mutex(content)
    }

    /// Makes a password from the UTF-8 bytes of `string`.
    public convenience init(string: String) {
        var copy = string
        self.init(content: copy.withUTF8 { MaskedBytes(UnsafeRawBufferPointer($0)) })
    }

    /// Makes a password from arbitrary bytes.
    public convenience init(data: Data) {
        self.init(content: data.withUnsafeBytes { MaskedBytes($0) })
    }

    /// Length of the password: bytes for this class, code points for ``PowerAuthCoreMutablePassword``.
    public func length() -> UInt {
        UInt(content.withLock { $0.count })
    }

    /// Compares the bytes of two passwords, whether mutable or not, in constant time.
    public func isEqual(to password: PowerAuthCorePassword?) -> Bool {
        guard let password else { return false }
        let (own, other) = (plainBytes(), password.plainBytes())
        guard own.count == other.count else { return false }
        return own.withUnsafeBytes { own in
            other.withUnsafeBytes { other in zip(own, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0 }
        }
    }

    /// Compares the bytes of two passwords in constant time.
    public static func == (left: PowerAuthCorePassword, right: PowerAuthCorePassword) -> Bool {
        left.isEqual(to: right)
    }

    /// Lets `validationBlock` judge the password, for example with a library for password strength.
    /// - Parameter validationBlock: Gets the bytes, followed by a zero byte, and their number without that zero byte. The
    ///   pointer is valid within the call only.
    /// - Returns: What the closure returned.
    @discardableResult
    public func validateComplexity(_ validationBlock: (UnsafePointer<Int8>, Int) -> Int) -> Int {
        content.withLock { $0 }.plainBytes(terminator: 1).withUnsafeBytes { bytes in
            // The buffer holds at least the terminating zero byte, so it has a base address.
            validationBlock(bytes.baseAddress!.assumingMemoryBound(to: Int8.self), bytes.count - 1)
        }
    }

    /// Forgets the content. The password is empty afterwards; its old memory is wiped as soon as no running call uses it.
    public func secureClear() {
        content.withLock { $0 = MaskedBytes() }
    }

    /// Makes an immutable password with the same bytes that does not change with this one.
    public func copyToImmutable() -> PowerAuthCorePassword {
        PowerAuthCorePassword(content: content.withLock { $0 })
    }

    /// The plain bytes in wiped memory. Keep them as short as possible.
    func plainBytes() -> SecretBytes {
        content.withLock { $0 }.plainBytes()
    }
}
