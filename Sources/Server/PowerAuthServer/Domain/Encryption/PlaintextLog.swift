import Foundation
import PowerAuthProtocol
import Synchronization

/// Collects the plaintexts of one request's envelopes, for the traffic journal of a lab. A server without lab powers
/// never creates one, so that no plaintext outlives its request.
///
/// Thread rule: any thread; the state is guarded by the mutex.
final class PlaintextLog: Sendable {
    /// One envelope and the one that answered it.
    struct Exchange: Sendable {
        /// The shared info that binds the envelope to its use, such as `/pa/activation`.
        let purpose: EciesSharedInfo1
        let request: Data
        var response: Data?
    }

    private let noted = Mutex<[Exchange]>([])

    var exchanges: [Exchange] { noted.withLock { $0 } }

    /// Notes the content of a request's envelope.
    func note(request: Data, purpose: EciesSharedInfo1) {
        noted.withLock { $0.append(Exchange(purpose: purpose, request: request)) }
    }

    /// Notes the content of the envelope that answers the newest request of the same purpose.
    func note(response: Data, purpose: EciesSharedInfo1) {
        noted.withLock { exchanges in
            guard let index = exchanges.lastIndex(where: { $0.purpose == purpose }) else { return }
            exchanges[index].response = response
        }
    }
}

/// The log of the request that the current thread works on.
enum CurrentPlaintexts {
    @TaskLocal static var log: PlaintextLog?
}
