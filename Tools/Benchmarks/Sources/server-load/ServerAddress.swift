// SPDX-License-Identifier: Apache-2.0

/// Where a server listens for plain HTTP, and below which path it answers.
struct ServerAddress {
    /// As written, for messages.
    let url: String
    let host: String
    let port: Int
    /// Empty, or with a slash at its start and none at its end.
    let path: String

    /// - Throws: for anything but `http://host:port` with or without a path.
    init(_ url: String) throws {
        guard let match = url.wholeMatch(of: /http:\/\/([^:\/]+):(\d{1,5})(\/.*?)?\/?/), let port = Int(match.2) else {
            throw LoadFailure("\(url) is no address such as http://127.0.0.1:8080/powerauth-java-server")
        }
        self.url = url
        host = match.1 == "localhost" ? "127.0.0.1" : String(match.1)
        self.port = port
        path = match.3.map(String.init) ?? ""
    }
}
