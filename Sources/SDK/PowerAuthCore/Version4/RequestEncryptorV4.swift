// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import PowerAuthProtocol
import Synchronization

/// Encrypts one request of protocol 4 and decrypts its response, each once (protocol-4.md, section 7).
///
/// Thread rule: any thread; of several concurrent calls one succeeds.
package final class RequestEncryptorV4: Sendable {
    private enum State: Sendable {
        case ready(AeadParameters)
        case waiting(AeadResponseDecryptor, TimeMeasurement)
        case used
    }

    /// Complete value of the `X-PowerAuth-Encryption` header, for requests that have no other header, and for the start of
    /// an upgrade.
    package let headerValue: String
    /// Identifier of the temporary key.
    package let temporaryKeyId: String
    private let timeService: WeakTimeService
    private let state: Mutex<State>

    init(parameters: AeadParameters, timeService: WeakTimeService) {
        headerValue =
            AeadHeader(applicationKey: parameters.applicationKey, activationId: parameters.activationId).value
        temporaryKeyId = parameters.temporaryKeyId
        self.timeService = timeService
        state = Mutex(.ready(parameters))
    }

    /// Encrypts the request and starts to measure the server's time.
    /// - Parameter data: Plain request, may be empty.
    /// - Throws: `wrongState` on a second call, or if the time service no longer exists.
    package func encryptRequest(_ data: Data) throws(PowerAuthCoreErrorCode) -> AeadRequest {
        guard let time = timeService.service else { throw .wrongState }
        let parameters: AeadParameters? = state.withLock { state in
            guard case .ready(let parameters) = state else { return nil }
            state = .used
            return parameters
        }
        guard let parameters else { throw .wrongState }
        return try encryptionFailure {
            let (request, decryptor) = try AeadClientEncryptor(parameters: parameters)
                .encrypt(data, timestamp: time.currentMilliseconds)
            let measurement = TimeMeasurement(task: time.startTimeSynchronizationTask())
            state.withLock { $0 = .waiting(decryptor, measurement) }
            return request
        }
    }

    /// Decrypts the response and learns the server's time from it.
    /// - Throws: `wrongState` before the request was encrypted and on a second call, `encryption` for a response that was
    ///   not made for the request.
    package func decryptResponse(_ response: AeadResponse) throws(PowerAuthCoreErrorCode) -> Data {
        let waiting: (decryptor: AeadResponseDecryptor, measurement: TimeMeasurement)? = state.withLock { state in
            guard case .waiting(let decryptor, let measurement) = state else { return nil }
            state = .used
            return (decryptor, measurement)
        }
        guard let waiting else { throw .wrongState }
        let time = timeService.service
        // A clock that was never synchronised does not show the server's time.
        let now = time?.isTimeSynchronized == true ? time?.currentMilliseconds : nil
        let plain = try encryptionFailure { try waiting.decryptor.decrypt(response, currentTime: now) }
        time?.completeTimeSynchronizationTask(
            waiting.measurement.task, withServerTime: Double(response.timestamp) / 1000)
        return plain
    }
}

extension AeadPurpose {
    /// The scope that messages of the purpose are encrypted in.
    package var scope: PowerAuthCoreEciesEncryptorScope {
        switch self {
        case .applicationGeneric, .activationLayer2, .upgradeStart: .application
        case .activationGeneric, .vaultUnlock, .tokenCreate, .passwordChange, .biometryAdd: .activation
        }
    }
}
