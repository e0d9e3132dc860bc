import Foundation
package import SimulatedDevice
import Synchronization

/// Which of two messages of a phone is newer, regardless of their transport: an immediate message overtakes queued
/// transfers, and a reply overtakes both.
///
/// Two members of the packet, which the original does not know and ignores.
package struct WatchOrder: Equatable, Sendable {
    /// Installation of the phone's app that counts.
    package let origin: String
    /// Greater means newer, within one installation.
    package let number: Int

    package init(origin: String, number: Int) {
        self.origin = origin
        self.number = number
    }

    init?(fields: WatchFields) {
        guard let origin = fields.text(.orderOrigin), let number = fields.number(.orderNumber) else { return nil }
        self.init(origin: origin, number: number)
    }

    /// Reads what ``stored`` has written.
    init?(stored value: PreferenceValue?) {
        guard case .text(let text) = value, let slash = text.lastIndex(of: "/"),
            let number = Int(text[text.index(after: slash)...])
        else { return nil }
        self.init(origin: String(text[..<slash]), number: number)
    }

    var stored: PreferenceValue { .text("\(origin)/\(number)") }
}

/// Counts the messages of a phone's app to its watch. The count is kept in the app's preferences, so that it is removed
/// with the app: the next installation is another origin.
///
/// Thread rule: any thread.
package final class WatchOrderSource: Sendable {
    private static let key = "io.getlime.PowerAuth.WatchOrder"

    private let defaults: DefaultsSuite
    private let lock = Mutex(())

    package init(defaults: DefaultsSuite) {
        self.defaults = defaults
    }

    /// The order of a message that is made now. To be taken before its content is read, so that the greater number has
    /// the newer content.
    ///
    /// - Returns: nil when the preferences cannot be used; the watch then takes messages as they come.
    package func next() -> WatchOrder? {
        lock.withLock { _ in
            do {
                let last =
                    WatchOrder(stored: try defaults.read(Self.key)) ?? WatchOrder(origin: UUID().uuidString, number: 0)
                let next = WatchOrder(origin: last.origin, number: last.number + 1)
                try defaults.store(next.stored, forKey: Self.key)
                return next
            } catch {
                PowerAuthLog.write("Watch: a message has no number, because \(error).")
                return nil
            }
        }
    }
}
