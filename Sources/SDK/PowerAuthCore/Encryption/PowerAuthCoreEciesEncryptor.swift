// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PowerAuthProtocol
import Synchronization

/// Encrypts requests for the server and decrypts its responses (protocol.md, section 7).
///
/// Thread rule: any thread. Where several requests are in flight with one encryptor, use
/// ``encryptRequest(_:completion:)``, which hands out a decryptor of its own for each response.
public final class PowerAuthCoreEciesEncryptor: Sendable {
    private struct State: Sendable {
        var publicKey: Data?
        var sharedInfo2: Data?
        var metaData: PowerAuthCoreEciesMetaData?
        /// Key of the last request's envelope, usable for one response.
        var decryptor: EciesResponseDecryptor?
        var measurement: TimeMeasurement?
    }

    /// Purpose of the encryption, part of the derivation of keys.
    private let sharedInfo1: EciesSharedInfo1
    private let timeService: WeakTimeService
    private let state: Mutex<State>

    /// Makes an encryptor.
    /// - Parameters:
    ///   - timeService: Gives the request's timestamp and learns from the response's; held weakly.
    ///   - publicKey: Server's public key, 33 or 65 bytes.
    ///   - sharedInfo1: Purpose of the encryption, any bytes; `nil` is the same as empty.
    ///   - sharedInfo2: Key-dependent part of the authentication code.
    /// - Returns: `nil` if the public key is not a point of the curve.
    public convenience init?(
        timeService: any PowerAuthCoreTimeService, publicKey: Data, sharedInfo1: Data?, sharedInfo2: Data?
    ) {
        guard (try? PublicKey(encoded: publicKey)) != nil else { return nil }
        self.init(
            timeService: WeakTimeService(timeService), publicKey: publicKey,
            sharedInfo1: EciesSharedInfo1(bytes: sharedInfo1 ?? Data()), sharedInfo2: sharedInfo2)
    }

    init(timeService: WeakTimeService, publicKey: Data?, sharedInfo1: EciesSharedInfo1, sharedInfo2: Data?) {
        self.timeService = timeService
        self.sharedInfo1 = sharedInfo1
        state = Mutex(State(publicKey: publicKey, sharedInfo2: sharedInfo2))
    }

    /// A decrypt-only copy that takes over what belongs to the last request.
    private init(decrypting state: State, of other: PowerAuthCoreEciesEncryptor) {
        timeService = other.timeService
        sharedInfo1 = other.sharedInfo1
        self.state = Mutex(
            State(
                sharedInfo2: state.sharedInfo2, metaData: state.metaData, decryptor: state.decryptor,
                measurement: state.measurement))
    }

    /// Server's public key; `nil` in a decrypt-only copy.
    public var publicKey: Data? { state.withLock { $0.publicKey } }

    /// Key-dependent part of the authentication code.
    public var sharedInfo2: Data? {
        get { state.withLock { $0.sharedInfo2 } }
        set { state.withLock { $0.sharedInfo2 = newValue } }
    }

    /// Facts authenticated with each message. Without them nothing can be encrypted.
    public var associatedMetaData: PowerAuthCoreEciesMetaData? {
        get { state.withLock { $0.metaData } }
        set { state.withLock { $0.metaData = newValue } }
    }

    /// The time service, if it is still alive.
    public var timeSynchronizationService: (any PowerAuthCoreTimeService)? { timeService.service }

    /// `true` if ``encryptRequest(_:)`` has what it needs.
    public var canEncryptRequest: Bool {
        timeService.service != nil && state.withLock { $0.publicKey != nil && $0.metaData != nil }
    }

    /// `true` if there is a request whose response was not decrypted yet.
    public var canDecryptResponse: Bool { state.withLock { $0.decryptor != nil } }

    /// Encrypts a request with a new ephemeral key and starts to measure the server's time.
    /// - Parameter data: Plain request; `nil` is the same as empty.
    /// - Returns: `nil` if something is missing (see ``canEncryptRequest``) or the server's key is unusable.
    public func encryptRequest(_ data: Data?) -> PowerAuthCoreEciesCryptogram? {
        encrypt(data, keepForThis: true)?.cryptogram
    }

    /// Encrypts a request and hands out a decryptor for its response.
    /// - Parameter completion: Called before this function returns; both values are `nil` on failure.
    /// - Returns: `true` on success.
    @discardableResult
    public func encryptRequest(
        _ data: Data?, completion: (PowerAuthCoreEciesCryptogram?, PowerAuthCoreEciesEncryptor?) -> Void
    ) -> Bool {
        guard let (cryptogram, state) = encrypt(data, keepForThis: false) else {
            completion(nil, nil)
            return false
        }
        completion(cryptogram, PowerAuthCoreEciesEncryptor(decrypting: state, of: self))
        return true
    }

    /// Decrypts the response to the last request. Works once per request, whether it succeeds or not. A response of the
    /// protocol 3.1 and older has neither nonce nor timestamp.
    /// - Returns: `nil` if there is nothing to decrypt with, or if the response was not made for the request.
    public func decryptResponse(_ cryptogram: PowerAuthCoreEciesCryptogram) -> Data? {
        let (decryptor, measurement) = state.withLock { state in
            defer {
                state.decryptor = nil
                state.measurement = nil
            }
            return (state.decryptor, state.measurement)
        }
        guard let decryptor, let body = cryptogram.body, let mac = cryptogram.mac else {
            coreLog("ECIES: There is no request this response could belong to, or the response is incomplete.")
            return nil
        }
        do {
            let time = timeService.service
            // Up to 3.1 a response is just body and code; what else a caller may have filled in does not belong to it.
            let version = decryptor.parameters.version
            let plain = try decryptor.decrypt(
                EciesResponse(
                    encryptedData: body, mac: mac, nonce: version.usesResponseNonce ? cryptogram.nonce : nil,
                    timestamp: version.usesTimestamp ? cryptogram.timestamp : nil),
                // A clock that was never synchronised does not show the server's time.
                currentTime: time?.isTimeSynchronized == true ? time?.currentMilliseconds : nil)
            if let measurement, version.usesTimestamp {
                timeService.service?.completeTimeSynchronizationTask(
                    measurement.task, withServerTime: Double(cryptogram.timestamp) / 1000)
            }
            return plain
        } catch {
            coreLog("ECIES: The response cannot be decrypted: \(error).")
            return nil
        }
    }

    /// A copy that can only decrypt the response to the last request.
    /// - Returns: `nil` if nothing was encrypted yet.
    public func copyForDecryption() -> PowerAuthCoreEciesEncryptor? {
        state.withLock { state in
            guard state.decryptor != nil else { return nil }
            defer { state.measurement = nil }
            return PowerAuthCoreEciesEncryptor(decrypting: state, of: self)
        }
    }

    private func encrypt(_ data: Data?, keepForThis: Bool) -> (cryptogram: PowerAuthCoreEciesCryptogram, state: State)?
    {
        guard let timeService = timeService.service else {
            coreLog("ECIES: The time service no longer exists.")
            return nil
        }
        var current = state.withLock { $0 }
        guard let publicKey = current.publicKey, let metaData = current.metaData else {
            coreLog("ECIES: The server's public key or the meta data is missing.")
            return nil
        }
        if metaData.version.usesTimestamp, !timeService.isTimeSynchronized {
            coreLog("ECIES: Time is not synchronised; the server may refuse the request.")
        }
        do {
            let parameters = EciesParameters(
                version: metaData.version, sharedInfo1: sharedInfo1,
                applicationKey: metaData.applicationKey, activationId: metaData.activationIdentifier,
                temporaryKeyId: metaData.version.usesTemporaryKey ? metaData.temporaryKeyId : nil)
            let encryptor = EciesClientEncryptor(
                parameters: parameters, serverPublicKey: try PublicKey(encoded: publicKey),
                sharedInfo2: current.sharedInfo2 ?? Data())
            let (request, decryptor) = try encryptor.encrypt(data ?? Data(), timestamp: timeService.currentMilliseconds)
            current.decryptor = decryptor
            current.measurement = TimeMeasurement(task: timeService.startTimeSynchronizationTask())
            if keepForThis {
                let (decryptor, measurement) = (current.decryptor, current.measurement)
                state.withLock {
                    $0.decryptor = decryptor
                    $0.measurement = measurement
                }
            }
            let cryptogram = PowerAuthCoreEciesCryptogram()
            cryptogram.body = request.encryptedData
            cryptogram.mac = request.mac
            cryptogram.key = request.ephemeralPublicKey
            cryptogram.nonce = request.nonce
            cryptogram.timestamp = request.timestamp ?? 0
            cryptogram.temporaryKeyId = request.temporaryKeyId
            return (cryptogram, current)
        } catch {
            coreLog("ECIES: The request cannot be encrypted: \(error).")
            return nil
        }
    }
}

/// A time service's task on its way between two calls of that service.
///
/// Unchecked: the value is opaque here; it is only handed back to the thread-safe service that made it.
struct TimeMeasurement: @unchecked Sendable {
    let task: Any
}

extension PowerAuthCoreTimeService {
    /// Milliseconds since 1970, as messages carry them; 0 for a time no message can carry.
    var currentMilliseconds: UInt64 { UInt64(exactly: (currentTime() * 1000).rounded(.down)) ?? 0 }
}
