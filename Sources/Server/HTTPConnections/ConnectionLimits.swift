/// What clients may take of the connections of a server: their time, and their number. Times are milliseconds of real time.
package struct ConnectionLimits: Sendable, Equatable {
    /// From the first byte of a request, or the beginning of its connection, to the end of its headers.
    package var headerTimeout: Int64 = 10_000
    /// From the end of the headers to the end of the body.
    package var bodyTimeout: Int64 = 30_000
    /// From an answer to the first byte of the next request on its connection.
    package var idleTimeout: Int64 = 30_000
    /// How long a client may leave an answer in the server's hands without taking any of it.
    package var answerTimeout: Int64 = 30_000
    /// How many connections there may be.
    package var connections = 1_600
    /// How many of them may come from one address.
    package var connectionsPerAddress = 400

    /// When a client may try again that was sent away, in seconds.
    package static let retryAfterSeconds = 1

    /// The defaults, also those of the settings of `lab server`.
    package init() {}
}
