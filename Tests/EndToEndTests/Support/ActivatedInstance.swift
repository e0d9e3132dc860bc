// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabSystem
import LabTesting
import LabVocabulary
import Synchronization

/// The password of every activation in these tests.
let password: Secret = "1234"

extension Lab {
    /// Gives the device an active activation, made by the app `main`.
    ///
    /// - Returns: the back office's answer with the code.
    @discardableResult
    func activate() throws -> InitActivation.Result {
        let code = try self.server.call(InitActivation { $0.userId = "alice" })
        try self.main.call(
            CreateActivation {
                $0.activationCode = code.activationCode
                $0.name = "phone"
            })
        try self.main.call(PersistActivation { $0.password = password })
        try self.server.call(CommitActivation { $0.activationId = code.activationId })
        return code
    }

    /// The server's state of an activation.
    func status(of code: InitActivation.Result) throws -> ActivationStatus.Result {
        try self.server.call(ActivationStatus { $0.activationId = code.activationId })
    }
}

/// Runs blocking closures at the same time, each on its own thread, and throws the first error.
func together(_ work: [@Sendable () throws -> Void]) throws {
    let failures = Mutex<[any Error]>([])
    let threads = work.map { piece in
        runOnThread(name: "branch") {
            do { try piece() } catch { failures.withLock { $0.append(error) } }
        }
    }
    threads.forEach { $0.join() }
    if let first = failures.withLock({ $0.first }) { throw first }
}
