package import Foundation

/// Headers of requests with a token (sdk.md, section 9.5).
extension KeychainTokenStore {
    package func canGenerateHeader(for record: TokenRecord) -> Bool {
        guard let current = environment.activation().identifier else { return false }
        return record.activationId == current
    }

    package func header(for record: TokenRecord) -> PowerAuthAuthorizationHttpHeader? {
        guard canGenerateHeader(for: record) else { return nil }
        return .token(
            record, version: environment.headerVersion() ?? rules.headerVersion, time: environment.currentTime())
    }

    @discardableResult
    package func generateAuthorizationHeader(
        withName name: String, completion: @escaping (PowerAuthAuthorizationHttpHeader?, NSError?) -> Void
    ) -> any PowerAuthOperationTask {
        let task = OperationTask<PowerAuthAuthorizationHttpHeader> { result in
            switch result {
            case .success(let header): completion(header, nil)
            case .failure(let error): completion(nil, error)
            }
        }
        guard !name.isEmpty else {
            task.complete(.failure(.powerAuth(.wrongParameter, "Missing required parameter.")))
            return task
        }
        guard let token = localToken(withName: name) else {
            task.complete(.failure(.powerAuth(.invalidToken, "Token not found")))
            return task
        }
        let finish: @Sendable (NSError?) -> Void = { error in
            if let error {
                task.complete(.failure(error))
            } else if let header = token.generateHeader() {
                task.complete(.success(header))
            } else {
                task.complete(.failure(.powerAuth(.invalidToken, "Failed to generate authorization header")))
            }
        }
        if let synchronizeTime = environment.synchronizeTime {
            if let part = synchronizeTime(finish) { task.add(part) }
        } else {
            finish(nil)
        }
        return task
    }
}
