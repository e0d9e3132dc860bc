import Foundation

/// Time that a fault takes, by the server's clock: a lab that moves its clock ends it.
struct Delay: Sendable {
    let clock: any ServerClock

    /// Waits on a thread of its own, because the clock's wait blocks.
    func wait(until end: ServerTime) async {
        await withCheckedContinuation { continuation in
            let thread = Thread { [clock] in
                let alarm = ServerAlarm()
                while clock.now() < end { clock.wait(until: end, orRung: alarm) }
                continuation.resume()
            }
            thread.name = "server delay"
            thread.start()
        }
    }
}
