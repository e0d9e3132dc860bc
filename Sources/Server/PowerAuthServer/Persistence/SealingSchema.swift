/// How private keys are stored, see ``StoredSecret``; those of earlier servers are in clear.
enum SealingSchema {
    static let columns = """
        ALTER TABLE activation ADD COLUMN server_private_mode INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE temporary_key ADD COLUMN private_key_mode INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE recovery_config ADD COLUMN postcard_private_mode INTEGER NOT NULL DEFAULT 0;
        """
}

/// The addresses that requested the temporary keys of devices without activation.
enum TemporaryKeyAddressSchema {
    static let columns = """
        ALTER TABLE temporary_key ADD COLUMN address TEXT;
        CREATE INDEX temporary_key_of_address ON temporary_key(app_key, address, t_expire) WHERE activation_id IS NULL;
        """
}
