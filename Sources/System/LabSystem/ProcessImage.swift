import Glibc

/// The program of this process.
public enum ProcessImage {
    /// Becomes another program, with the same process id, environment and open streams; blocked signals are let
    /// through again, as the new program expects.
    ///
    /// - Returns: why it did not work; otherwise it does not return.
    public static func replace(_ path: String, _ arguments: [String]) throws -> SystemError {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigprocmask(SIG_SETMASK, &signals, nil)
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        words.append(nil)
        execv(path, words)
        let error = SystemError(call: "execv", errno: errno, path: path)
        for word in words { free(word) }
        return error
    }
}
