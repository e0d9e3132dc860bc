// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Lets SIGTERM and SIGINT end the process of the tests, also while a server of a test listens for them.
///
/// Such a server, as the testing library of Hummingbird starts one, takes the signal for a request to shut down, and
/// its handler stays after the server has ended: the process would continue.
enum EndBySignal {
    /// Begins to listen, for the rest of the process's life.
    static func listen() {
        for number in [SIGTERM, SIGINT] {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
            source.setEventHandler {
                // Only its handler holds the source.
                withExtendedLifetime(source) {}
                // Restores the default action; Dispatch blocks the signals of its sources in the interrupted thread.
                signal(number, SIG_DFL)
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, number)
                pthread_sigmask(SIG_UNBLOCK, &signals, nil)
                raise(number)
            }
            source.activate()
        }
    }
}
