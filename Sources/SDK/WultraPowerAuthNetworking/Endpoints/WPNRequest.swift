/// A request without content; its JSON is an empty object (networking.md, section 3.1).
///
/// A subclass encodes its own members, which then stand at the top of the JSON.
open class WPNRequestBase: Encodable {
    /// Makes a request without content.
    public init() {}

    /// Writes the members: none.
    open func encode(to encoder: any Encoder) throws {
        _ = encoder.container(keyedBy: NoKey.self)
    }

    private enum NoKey: CodingKey {}
}

/// A request with a payload, under the key `requestObject`.
public class WPNRequest<T: Encodable>: WPNRequestBase {
    /// The payload; nil is written as `null`.
    public var requestObject: T?

    /// - Parameter requestObject: the payload.
    public init(_ requestObject: T) {
        self.requestObject = requestObject
        super.init()
    }

    /// Writes the payload.
    public override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(requestObject, forKey: .requestObject)
    }

    private enum Key: CodingKey { case requestObject }
}
