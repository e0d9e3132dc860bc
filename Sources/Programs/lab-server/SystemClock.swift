import LabSystem
import PowerAuthServer

/// The machine's own clock, for a server that runs without a lab instance.
struct SystemClock: ServerClock {
    func now() -> ServerTime {
        ServerTime(milliseconds: RealTimeClock.nanoseconds() / 1_000_000)
    }
}
