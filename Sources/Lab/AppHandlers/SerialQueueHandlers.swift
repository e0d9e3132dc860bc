import Dispatch
import LabKit
import LabPeer
import PowerAuth2
import PowerAuthShared

/// The commands about the app's own work between the SDK's signed requests.
enum SerialQueueHandlers {
    static func register(on peer: Peer, requests: RunningRequests, sdk: @escaping () throws -> PowerAuthSDK) {
        // Blocks that have the queue: one at most for each SDK object. On the main queue only, like every handler.
        nonisolated(unsafe) var running: [any PowerAuthOperationTask] = []
        requests.handle(ExecuteBlock.self) { _, reply in
            let task = try sdk().executeBlock(
                onSerialQueue: { task in
                    let task = Transferred(task)
                    DispatchQueue.main.async {
                        guard !task.value.isCancelled else { return }
                        running.append(task.value)
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
    }
}
