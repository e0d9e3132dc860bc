/// The version of the lab, for `lab --version` and the record of a run.
public enum LabVersion {
    public static let current = "0.1.0"
}
