// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthCore
import PowerAuthProtocol
import PowerAuthShared

/// Runs calls of the core and reads messages, and turns their errors into those of the SDK: `invalidActivationState` where
/// the session does not allow the call, `wrongParameter` for a parameter that cannot be used, `encryption` for what does not
/// decrypt, verify or have the form of a message. Errors of the SDK pass.
func sdkError<Value>(_ body: () throws -> Value) throws(NSError) -> Value {
    do {
        return try body()
    } catch let error as PowerAuthCoreErrorCode {
        switch error {
        case .wrongParam: throw .powerAuth(.wrongParameter)
        case .encryption: throw .powerAuth(.encryption)
        case .wrongState, .ok: throw .powerAuth(.invalidActivationState)
        }
    } catch {
        let error = error as NSError
        guard error.domain != PowerAuthErrorDomain else { throw error }
        throw .powerAuth(.encryption, "The server's answer cannot be used.", underlying: error)
    }
}

extension OperationTask {
    /// A task whose callback takes a value or an error, on the main queue.
    convenience init(_ callback: @escaping (Value?, (any Error)?) -> Void) {
        self.init(callback: { (result: TaskResult<Value>) in
            switch result {
            case .success(let value): callback(value, nil)
            case .failure(let error): callback(nil, error)
            }
        })
    }
}

extension OperationTask where Value == Void {
    /// A task whose callback takes an error or nothing, on the main queue.
    convenience init(_ callback: @escaping ((any Error)?) -> Void) {
        self.init(callback: { (result: TaskResult<Void>) in
            switch result {
            case .success: callback(nil)
            case .failure(let error): callback(error)
            }
        })
    }
}
