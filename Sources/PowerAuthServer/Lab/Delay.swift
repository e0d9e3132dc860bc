import Foundation

/// Time that a fault takes. It is real time: the other side's patience is real, too.
enum Delay {
    /// Waits without holding a thread.
    static func wait(milliseconds: Int) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
                continuation.resume()
            }
        }
    }
}
