import PowerAuth2
import Testing

@Test func theErrorDomainIsTheVendors() {
    #expect(PowerAuthErrorDomain == "PowerAuthErrorDomain")
}
