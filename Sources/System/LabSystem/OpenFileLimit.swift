import Glibc

/// How many files and connections this process may have open.
public enum OpenFileLimit {
    /// Raises the limit as far as the process may, but to no more than is asked for; never lowers it.
    ///
    /// - Returns: the limit from now on.
    @discardableResult
    public static func raise(to wanted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        if limit.rlim_cur < rlim_t(wanted) {
            let former = limit.rlim_cur
            limit.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { limit.rlim_cur = former }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
