/// No order at all: what the vendor's Extensions SDK has (sharing.md, section 18). Each keychain call is atomic by
/// itself. Thread rule: any thread.
package final class UnlockedTokenStore: TokenStoreLock {
    package init() {}

    package func lockTokenStore() -> Bool { false }

    package func tokenStoreWillChange() {}

    package func unlockTokenStore() {}
}
