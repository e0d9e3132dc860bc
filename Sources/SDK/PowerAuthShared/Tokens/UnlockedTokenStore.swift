/// No locking at all, as in the vendor's Extensions SDK (sharing.md, section 18). Each keychain call is atomic by
/// itself. Thread rule: any thread.
package final class UnlockedTokenStore: TokenStoreLock {
    package init() {}

    package func lockTokenStore() -> Bool { false }

    package func tokenStoreWillChange() {}

    package func unlockTokenStore() {}
}
