// SPDX-License-Identifier: Apache-2.0

import Dispatch
import LabControl
import LabCore
import LabPeer
import LabVocabulary
import PowerAuth2
import PowerAuthShared

/// The commands about what the apps of an app group have in common: the queue of signed requests, and the shared memory.
enum SharedStateHandlers {
    static func register<SDK: FullSDK>(on peer: Peer, requests: RunningRequests, sdk: @escaping () throws -> SDK) {
        // Blocks that have the queue: one at most for each SDK object. On the main queue only, like every handler.
        nonisolated(unsafe) var running: [any PowerAuthOperationTask] = []
        requests.handle(ExecuteBlock.self) { _, reply in
            let task = try sdk().executeBlock(
                onSerialQueue: { task in
                    // Only the main queue uses the task from here on.
                    nonisolated(unsafe) let task = task
                    DispatchQueue.main.async {
                        guard !task.isCancelled else { return }
                        running.append(task)
                        reply(.success(true))
                    }
                },
                refused: { reply(.failure($0)) })
            if task == nil { reply(.success(false)) }
            return task
        }
        peer.handleSync(FinishBlock.self) { _ in
            guard !running.isEmpty else {
                throw ControlError.device(
                    .wrongState, "no block has the queue of signed requests; `executeBlock` waits for it")
            }
            running.removeFirst().cancel()
        }
        peer.handleSync(SharedMemoryOfApp.self) { _ in
            guard let state = try sdk().sharedState() else {
                throw ControlError(.wrongState, message: "this app shares nothing; give it `sharing` in `lab.yaml`")
            }
            return SharedMemoryOfApp.Result {
                $0.stateModifyCounter = state.stateModifyCounter
                $0.tokenModifyCounter = state.tokenModifyCounter
                $0.operationTicket = state.operationTicket
                $0.operationType = Int(state.operationType)
                $0.operationOwner = state.operationApplication
            }
        }
    }
}
