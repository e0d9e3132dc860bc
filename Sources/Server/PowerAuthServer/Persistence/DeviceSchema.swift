/// The tables behind protocol upgrades and the claims of users.
enum DeviceSchema {
    static let tables = """
        CREATE TABLE protocol_upgrade (
            activation TEXT PRIMARY KEY REFERENCES activation(activation_id),
            ctr_data BLOB NOT NULL,
            t_created INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE user_claims (
            user_id TEXT PRIMARY KEY,
            claims TEXT NOT NULL
        ) WITHOUT ROWID;
        """
}
