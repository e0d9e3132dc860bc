import HTTPTypes
import LabKit
import PowerAuthProtocol

extension RequestRecord {
    /// Records a received request.
    func received(_ request: ServerRequest) -> Int {
        let headers = Dictionary(request.headers.map { ($0.name.rawName, $0.value) }) { _, last in last }
        return begin([
            "method": .string(request.method), "path": .string(request.path),
            "headers": .object(headers.mapValues(JSONValue.string)),
            "body": .traffic(TrafficEntry.text(request.body)),
        ])
    }

    /// Records the outcome of a request, and its plaintexts.
    ///
    /// - Parameter number: From ``received(_:)``.
    func ended(_ entry: TrafficEntry, number: Int) {
        let told = ListRequests.Request(entry)
        add(
            [
                "status": told.status.map { .integer(Int64($0)) } ?? .null, "decrypted": told.decrypted,
                "decryptedAnswer": told.decryptedAnswer, "answer": told.answer,
                "fault": told.fault.map(JSONValue.string) ?? .null,
            ], to: number)
    }
}
