import Glibc
import TestSupport
import Testing

@testable import ZeroMQ

@Suite("Errors of ZeroMQ", .endsInTime)
struct ZeroMQErrorTests {
    @Test("An error names the call, the subject if there is one, and the library's reason")
    func texts() {
        let reason = String(cString: strerror(EADDRINUSE))
        #expect(ZeroMQError(call: "zmq_poll", errno: EADDRINUSE, subject: nil).description == "zmq_poll: \(reason)")
        #expect(
            ZeroMQError(call: "zmq_bind", errno: EADDRINUSE, subject: "tcp://x").description
                == "zmq_bind 'tcp://x': \(reason)")
    }
}
