import Foundation
import PowerAuthProtocol

extension SharedData {
    /// Checks that the memory was made by this SDK for the instance: magic, instance hash, version.
    ///
    /// - Parameters:
    ///   - instanceHash: 32 bytes.
    ///   - name: the memory's name, for the error.
    func validate(instanceHash: Data, name: String) throws(InvalidConfiguration) {
        guard hasMagic else { throw .sharedMemoryWrongMagic(name: name) }
        guard self.instanceHash == instanceHash else { throw .sharedMemoryForeignInstance(name: name) }
        guard hasKnownVersion else { throw .sharedMemoryWrongVersion(name: name, version: version) }
    }
}
