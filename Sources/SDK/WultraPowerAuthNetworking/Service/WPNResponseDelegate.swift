public import Foundation

/// Sees the answers as they came (networking.md, section 2.8). Called on the main thread, before the completion of the
/// request.
public protocol WPNResponseDelegate: AnyObject {
    /// Takes an answer that was not decrypted: one to a request in the clear, an error, or one that cannot be read.
    ///
    /// - Parameters:
    ///   - url: the URL of the request.
    ///   - statusCode: the HTTP status.
    ///   - body: the bytes that came; may be empty.
    func responseReceived(from url: URL, statusCode: Int?, body: Data)

    /// Takes an answer that was decrypted and understood.
    ///
    /// - Parameters:
    ///   - url: the URL of the request.
    ///   - statusCode: the HTTP status.
    ///   - body: the bytes that came.
    ///   - decrypted: their decrypted content.
    func encryptedResponseReceived(from url: URL, statusCode: Int?, body: Data, decrypted: Data)
}
