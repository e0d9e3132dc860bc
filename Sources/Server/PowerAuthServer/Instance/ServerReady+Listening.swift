import Foundation
public import LabKit

extension ServerReady {
    /// The connection data of a listening server.
    public init(_ listening: LabServer.Listening) {
        self.init(
            baseURL: listening.baseURL, enrollmentURL: listening.baseURL + "/enrollment-server",
            backOfficeURL: listening.baseURL + "/powerauth-java-server", applicationId: listening.applicationId,
            configuration: listening.mobileSdkConfig, pid: ProcessInfo.processInfo.processIdentifier,
            port: listening.port)
    }
}
