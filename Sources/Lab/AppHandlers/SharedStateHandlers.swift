import LabKit
import LabPeer
import PowerAuth2
import PowerAuthShared

/// The command about the memory that apps share.
enum SharedStateHandlers {
    static func register(on peer: Peer, sdk: @escaping () throws -> PowerAuthSDK) {
        peer.handleSync(SharedMemoryOfApp.self) { _ in
            guard let state = try sdk().sharedState() else {
                throw ControlError(
                    .wrongState, message: "this app shares nothing; give it `sharing` in `lab.yaml`")
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
