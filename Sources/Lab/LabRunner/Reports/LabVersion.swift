/// The version of the lab, as `lab --version` and the record of a run tell it.
public enum LabVersion {
    public static let current = "0.1.0-dev"
}
