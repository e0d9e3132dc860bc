import Foundation
import SimulatedDevice
import Synchronization

/// The system's side of a watch session, played by a test.
final class FakeBackend: WatchSessionBackend {
    let isSupported: Bool
    let isWatch: Bool
    private struct State {
        var receiver: (@Sendable (WatchSessionEvent) -> Void)?
        var log: [String] = []
        var messages: [LiveMessage] = []
        var transfers: [UUID] = []
        var contents: [TransferContent] = []
        var transferCode: Int?
    }
    private let state = Mutex(State())

    init(isSupported: Bool = true, isWatch: Bool = false) {
        self.isSupported = isSupported
        self.isWatch = isWatch
    }

    var log: [String] { state.withLock { $0.log } }
    var messages: [LiveMessage] { state.withLock { $0.messages } }
    var transfers: [UUID] { state.withLock { $0.transfers } }
    var contents: [TransferContent] { state.withLock { $0.contents } }

    func refuseTransfers(code: Int) {
        state.withLock { $0.transferCode = code }
    }

    /// Brings news to the session.
    func bring(_ event: WatchSessionEvent) {
        state.withLock { $0.receiver }?(event)
    }

    func setReceiver(_ receiver: @escaping @Sendable (WatchSessionEvent) -> Void) {
        state.withLock { $0.receiver = receiver }
    }

    func activate() { note("activate") }

    func send(_ message: LiveMessage) {
        state.withLock { $0.messages.append(message) }
    }

    func reply(to messageId: UUID, body: Data, isPropertyList: Bool) { note("reply \([UInt8](body))") }
    func acknowledge(_ messageId: UUID) { note("acknowledge") }
    func refuse(_ messageId: UUID, code: Int) { note("refuse \(code)") }

    func queueTransfer(_ transferId: UUID, _ content: TransferContent) -> Int? {
        state.withLock { state in
            state.transfers.append(transferId)
            state.contents.append(content)
            return state.transferCode
        }
    }

    func cancelTransfer(_ transferId: UUID) { note("cancel") }
    func told(_ transferId: UUID) { note("told") }
    func delivered(_ transferId: UUID) { note("delivered") }
    func contextTold(_ news: UUID) { note("context told") }
    func updateContext(_ body: Data) -> Int? { nil }

    private func note(_ text: String) {
        state.withLock { $0.log.append(text) }
    }
}
