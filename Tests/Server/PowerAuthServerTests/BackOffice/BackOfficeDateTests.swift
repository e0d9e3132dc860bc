import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Dates in the back office", .endsInTime)
struct BackOfficeDateTests {
    @Test(
        "A moment is written in UTC and read back",
        arguments: [
            (0, "1970-01-01T00:00:00.000+00:00"), (1_730_538_927_482, "2024-11-02T09:15:27.482+00:00"),
            (951_782_400_000, "2000-02-29T00:00:00.000+00:00"), (-1, "1969-12-31T23:59:59.999+00:00"),
            (4_102_444_799_999, "2099-12-31T23:59:59.999+00:00"),
        ] as [(Int64, String)])
    func aMomentIsWrittenInUTCAndRead(milliseconds: Int64, text: String) {
        #expect(BackOfficeDate(ServerTime(milliseconds: milliseconds)).text == text)
        #expect(BackOfficeDate(text: text)?.time.milliseconds == milliseconds)
    }

    @Test(
        "Other forms of the same moment",
        arguments: [
            "2024-11-02T09:15:27.482Z", "2024-11-02T09:15:27.482+0000", "2024-11-02T10:15:27.482+01:00",
            "2024-11-02T04:45:27.482-0430", "1730538927482",
        ])
    func otherFormsOfTheSameMoment(text: String) {
        #expect(BackOfficeDate(text: text)?.time.milliseconds == 1_730_538_927_482)
    }

    @Test(
        "What is no moment",
        arguments: [
            "", "yesterday", "2024-13-02T09:15:27Z", "2024-11-02", "2024-11-02T09:15:27", "2024-11-02T25:00:00Z",
            "2024-02-31T09:15:27Z", "2023-02-29T09:15:27Z", "2024-04-31T09:15:27Z",
        ])
    func whatIsNoMoment(text: String) {
        #expect(BackOfficeDate(text: text) == nil)
    }
}
