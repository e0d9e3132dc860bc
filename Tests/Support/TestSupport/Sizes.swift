/// The numbers around a constant at which code goes wrong.
public enum Sizes {
    /// One less, as many, one more.
    public static func around(_ count: Int) -> [Int] { [count - 1, count, count + 1] }

    /// Also two times as many, and one more: a second round, and a third that has one.
    public static func ofBatches(_ batch: Int) -> [Int] { around(batch) + [2 * batch, 2 * batch + 1] }
}
