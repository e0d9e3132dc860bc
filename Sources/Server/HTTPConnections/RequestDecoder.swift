// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Decodes the requests of a connection, also those behind a request that asks for another protocol: the wish is
/// ignored, and the connection continues with HTTP/1.1 (RFC 9110, section 7.8).
///
/// NIO's decoder ends with such a request, because what follows could belong to the other protocol. Another one takes
/// its place there, and begins with the first byte behind the request. ``ConnectionPersistence`` reports what is
/// decoded.
///
/// Thread rule: the event loop of its channel.
final class RequestDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPServerRequestPart

    private let limits: NIOHTTPDecoderLimitConfiguration
    private var decoder: HTTPRequestDecoder
    /// Whether NIO's decoder ends with the request that arrives now.
    private var isLastRequest = false
    private var hasEnded = false

    /// - Parameter limits: the most that the headers of a request may have.
    init(_ limits: NIOHTTPDecoderLimitConfiguration = .init()) {
        self.limits = limits
        decoder = HTTPRequestDecoder(limitConfiguration: limits)
    }

    /// Takes note of what was decoded, before the decoder continues.
    func decoded(_ part: HTTPServerRequestPart) {
        switch part {
        case .head(let head): isLastRequest = Self.endsDecoder(head)
        case .body: break
        case .end: hasEnded = isLastRequest
        }
    }

    func decoderAdded(context: ChannelHandlerContext) { decoder.decoderAdded(context: context) }

    func decoderRemoved(context: ChannelHandlerContext) { decoder.decoderRemoved(context: context) }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        let state = try decoder.decode(context: context, buffer: &buffer)
        guard hasEnded else { return state }
        hasEnded = false
        decoder.decoderRemoved(context: context)
        decoder = HTTPRequestDecoder(limitConfiguration: limits)
        decoder.decoderAdded(context: context)
        return .continue
    }

    func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        if buffer.readableBytes > 0, try decode(context: context, buffer: &buffer) == .continue { return .continue }
        return try decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
    }

    /// Reads the headers exactly as NIO's decoder does: a decoder that ends unnoticed leaves the connection without a
    /// reader, and one that is replaced before its end loses what it has read of the next request.
    private static func endsDecoder(_ head: HTTPRequestHead) -> Bool {
        guard head.headers["upgrade"].contains(where: { !$0.isEmpty }) else { return false }
        return (head.headers["connection"] + head.headers["proxy-connection"]).contains { value in
            value.split(separator: ",").contains { option in
                var option = option.drop { $0 == " " || $0 == "\t" }
                while option.last == " " { option.removeLast() }
                return option.lowercased() == "upgrade"
            }
        }
    }
}
