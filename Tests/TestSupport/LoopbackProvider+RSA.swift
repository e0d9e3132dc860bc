public import LabKit

/// A token that an RSA key signed, with claims that fit the clock of the server's own tests; the tests' own code cannot
/// sign with RSA.
extension LoopbackProvider {
    /// The public half of the key, as the provider publishes it.
    public static let rsaKey: JSONValue = [
        "kty": "RSA", "kid": "rsa-1", "use": "sig", "e": "AQAB", "n": .string(rsaModulus),
    ]

    private static let rsaModulus = """
        rSBu2l__1rIHWbKDTzh3gmAWJXKmrkm6tfONXvd4nI-6zR4iMJbUi3q69veLyhmbZSCeLpkFUo6rYm7t4Vaa58UrNxra7Xb_eU_W\
        egWkeSaKIyaYPbM5k4u_6V3GzUcIFsGJVsTO6Tn4RF7mrOEn77v47VsPDfivqrvG1KV_spMYBgnAY60WUiYw27MbyyWqFjw79GyJ\
        qah7KmTxT2c-THU-wKXt-ZTvNbKr-faM4cMJN-Ni-UlvXBo3wabBZBPR9IGwf-EMtxR5POGd_LL_c0IlSL9DYUDY4WLJ4C4qB30E\
        ynAVl97jDTr07Ip21JusiFq9BQvR3wWv0X7rdLRWIw
        """

    /// The token.
    public static let rsaToken = """
        eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYS0xIn0.eyJhdF9oYXNoIjoiUHhhLTF3aWZSbFBsN3lHXzBvSk5mdyIsImF1ZCI6WyJs\
        YWIiXSwiZXhwIjoxNzI4MzgwMDYwLCJpc3MiOiJodHRwczovL2lzc3Vlci5leGFtcGxlIiwibm9uY2UiOiJuLTEiLCJzdWIiOiJz\
        dWJqZWN0LTEifQ.dlG3SyEd_JTqITSudwAyCb25-0MC_reNnc-GN29G5pZR5RrBf0rDCltToaRn4wo1dj1QJk4QyqtseSMXm3J7A\
        gntIvv__5mHMoqeNDv_vFOdTylaL_O8XvqN4JTFEyiYzjd7k7U06ezNFBG1xwFbXDkYBH_0wnKm6kOEIS-1yWDHBxhJdBBglNEIx\
        Z6hicYGgKbvUAzS-4BEr12cygX3Y-bBFI6Gx5Muo901X5MPR8tYi9c0uZBGnEd8QOWQMdBG0zCnyDIowc780nEKlDTcKknkMYTJe\
        XcBrALWoxPCSdNRkzTfZMp285H27NeDk2iu9sYitLX_rY5DJhPC1YDmKg
        """
}
