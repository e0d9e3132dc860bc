/// How private keys are stored, see ``StoredSecret``; those of earlier servers are in clear.
enum SealingSchema {
    static let columns = """
        ALTER TABLE activation ADD COLUMN server_private_mode INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE temporary_key ADD COLUMN private_key_mode INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE recovery_config ADD COLUMN postcard_private_mode INTEGER NOT NULL DEFAULT 0;
        """
}
