/// What orders accesses to the token records, between threads and between applications (sharing.md, section 7.7).
///
/// Thread rule: the three functions belong together on one thread; others wait.
package protocol TokenStoreLock: AnyObject, Sendable {
    /// Opens the token store for one access, as a write task. Pair with ``unlockTokenStore()`` on the same thread.
    ///
    /// - Returns: true when another application changed tokens, so cached ones are stale.
    /// - Throws: `NSError` with the code `invalidActivationState` when the lock or the state is out of reach; then
    ///   nothing was locked.
    func lockTokenStore() throws -> Bool

    /// Announces that the open access is going to store or remove a record, so that the other applications drop their
    /// cached tokens. Called before the change: if the process dies in between, no application keeps a stale token.
    /// Counted once for each access.
    func tokenStoreWillChange()

    /// Ends the access that ``lockTokenStore()`` opened.
    func unlockTokenStore()
}
