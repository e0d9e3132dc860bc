// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2

/// The context that the manuals' samples assume: objects that an application made before, and its own networking.
///
/// A structure, because samples name its members in escaping closures without `self`.
struct Surroundings {
    /// Stands for a value that a real application would have; nothing here is ever run.
    private func given<Value>() -> Value { fatalError("the samples are only type-checked") }

    var powerAuthSDK: PowerAuthSDK { given() }
    var sdk: PowerAuthSDK { given() }
    var tokenStore: any PowerAuthTokenStore { given() }
    var timeService: any PowerAuthTimeSynchronizationService { given() }
    var activation: PowerAuthActivation { given() }
    var activationName: String { given() }
    var token: PowerAuthToken { given() }
    var encryptor: PowerAuthCoreEciesEncryptor { given() }
    var cryptogram: PowerAuthCoreEciesCryptogram { given() }
    var error: NSError? { given() }

    var data: Data { given() }
    var payloadData: Data { given() }
    var requestBodyData: Data { given() }
    var nonce: String { given() }
    var signature: String { given() }

    var httpClient: HTTPClient { given() }
    var yourNetworking: OwnNetworking { given() }
    var yourRequest: URLPath { given() }
}

/// Part of an application's own request.
struct URLPath {
    let text: String
}

/// An application's client for its own server.
struct HTTPClient {
    func post(_ body: Data?, _ path: String, completion: @escaping (NSError?) -> Void) {}
}

/// An application's networking with two ways to end.
struct OwnNetworking {
    func post(
        _ request: URLPath, completionHandler: @escaping (Data?, AnyObject?, NSError?) -> Void,
        cancelationHandler: @escaping () -> Void
    ) {}
}

/// An application's request for an operation queue.
final class YourHttpOperation: Operation, @unchecked Sendable {}
