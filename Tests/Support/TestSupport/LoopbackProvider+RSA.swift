public import LabKit

/// A token that an RSA key signed, with claims that fit the clock of the server's own tests; the tests' own code cannot
/// sign with RSA.
extension LoopbackProvider {
    /// The public half of the key, as the provider publishes it.
    public static let rsaKey: JSONValue = [
        "kty": "RSA", "kid": "rsa-1", "use": "sig", "e": "AQAB", "n": .string(rsaModulus),
    ]

    private static let rsaModulus = """
        rN1TyVTEM1vemzbcrEhuc2i6YP7-N-2ANyl4zeW9Bv5B_mq7GSDmDTGX17HmiSK2_C4x0nRBDMGb3pZTNqddGvxUD5lkQfRJwXxw\
        MQ3Y798Yu5cQg6XkmHs4y0ar3udjMgtnbMVe8m-5E6hL3AjiYQLPTpDL7CO7iEIl-Yju1cUET6lbcKXefskzY_41tuwtlcsJfMkh\
        VZ3U50M_Wrp3viMcBKnF2Nz5vWxodDoYP7nAkQFcREw1UVQ5nSim1gLmOGkXi-KCUClK58pNzv54RuJ_1WaJpu-3XoTbrQbZhPKO\
        h7xBnNA21zPP_aY6hwSHnq7DIV4h1qRckQ0XCabEYw
        """

    /// The token.
    public static let rsaToken = """
        eyJhbGciOiJSUzI1NiIsImtpZCI6InJzYS0xIn0.eyJhdF9oYXNoIjoiUHhhLTF3aWZSbFBsN3lHXzBvSk5mdyIsImF1ZCI6WyJs\
        YWIiXSwiZXhwIjoxNzI4MzgwMDYwLCJpYXQiOjE3MjgzODAwMDAsImlzcyI6Imh0dHBzOi8vaXNzdWVyLmV4YW1wbGUiLCJub25j\
        ZSI6Im4tMSIsInN1YiI6InN1YmplY3QtMSJ9.QKtL3AuDCf_YqhJKwsIOpE-GYn7JQuifHx8BOXgj5BlmixiY_MMJdI2ScqE216I\
        T_8DECUiHX5-ZJyupgUmm8mejDlDoYAYPcDAye9BsfJYIoJeparbsuy-8dFfue39gkrcWfPSr1YSdgOAOSfHSbi8qBJ5-WMxfX6k\
        D_ig21CVdAAeio5Vpp-jq-t6KBGXWblG_Pf9qTD2UTFavJMkh6D4fUdZz8h5AdnJcE2odVAaJcxV104Eet6iRUVtNKp7cBtPwyPx\
        XYqwfKo6OObCFIzyfDHyv4Jk9Mf47ho23PQGHRx5cTL3FgFhjf8emFORfbcKM9hoFyFVRCX7gNzaYKg
        """

    /// The same with another first character of its signature.
    public static var forgedRSAToken: String {
        var parts = rsaToken.split(separator: ".").map(String.init)
        parts[2] = (parts[2].hasPrefix("A") ? "B" : "A") + parts[2].dropFirst()
        return parts.joined(separator: ".")
    }
}
