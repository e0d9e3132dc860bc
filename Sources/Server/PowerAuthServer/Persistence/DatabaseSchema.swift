import GRDB

/// The tables of the server (server.md, section 28) and the steps that lead to them.
///
/// Times are integers, milliseconds of Unix time. Keys are BLOBs; the application key is kept as its Base64
/// text because the protocol compares the text. A step that has been released is never edited; a change is a
/// new step.
enum DatabaseSchema {
    /// Applies the missing steps.
    /// - Throws: ``ServerDatabaseError/newerSchema(path:unknown:)`` when the database has steps unknown here.
    static func bringUpToDate(_ pool: DatabasePool, path: String) throws {
        let applied = try pool.read { database in
            try database.tableExists("grdb_migrations")
                ? String.fetchAll(database, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid") : []
        }
        let unknown = applied.filter { !migrator.migrations.contains($0) }
        guard unknown.isEmpty else { throw ServerDatabaseError.newerSchema(path: path, unknown: unknown) }
        if applied.count < migrator.migrations.count {
            try migrator.migrate(pool)
        }
    }

    private static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 applications and activations") { database in
            try database.execute(sql: tables)
        }
        migrator.registerMigration("2 back office") { database in
            try database.execute(sql: BackOfficeSchema.tables)
        }
        migrator.registerMigration("3 upgrades and claims") { database in
            try database.execute(sql: DeviceSchema.tables)
        }
        migrator.registerMigration("4 mobile token") { database in
            try database.execute(sql: MobileTokenSchema.tables)
        }
        migrator.registerMigration("5 sealed keys") { database in
            try database.execute(sql: SealingSchema.columns)
        }
        migrator.registerMigration("6 audit") { database in
            try database.execute(sql: AuditSchema.tables)
        }
        migrator.registerMigration("7 addresses of temporary keys") { database in
            try database.execute(sql: TemporaryKeyAddressSchema.columns)
        }
        return migrator
    }()

    private static let tables = """
        CREATE TABLE application (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            app_id TEXT NOT NULL UNIQUE,
            roles TEXT NOT NULL,
            created INTEGER NOT NULL
        );
        CREATE TABLE master_keypair (
            id INTEGER PRIMARY KEY,
            application INTEGER NOT NULL REFERENCES application(id),
            name TEXT NOT NULL,
            private_key BLOB NOT NULL,
            public_key BLOB NOT NULL,
            created INTEGER NOT NULL
        );
        CREATE INDEX master_keypair_newest ON master_keypair(application, created DESC, id DESC);
        CREATE TABLE application_version (
            id INTEGER PRIMARY KEY,
            application INTEGER NOT NULL REFERENCES application(id),
            version_id TEXT NOT NULL,
            app_key TEXT NOT NULL UNIQUE,
            app_secret TEXT NOT NULL,
            supported INTEGER NOT NULL,
            UNIQUE (application, version_id)
        );
        CREATE TABLE activation (
            activation_id TEXT PRIMARY KEY,
            application INTEGER NOT NULL REFERENCES application(id),
            master_keypair INTEGER NOT NULL REFERENCES master_keypair(id),
            user_id TEXT NOT NULL,
            status INTEGER NOT NULL,
            code TEXT NOT NULL,
            otp_mode INTEGER NOT NULL,
            commit_phase INTEGER NOT NULL,
            otp_hash TEXT,
            name TEXT,
            external_id TEXT,
            extras TEXT,
            platform TEXT,
            device_info TEXT,
            flags TEXT NOT NULL,
            server_private BLOB NOT NULL,
            server_public BLOB NOT NULL,
            device_public BLOB,
            counter INTEGER NOT NULL,
            ctr_data BLOB,
            version INTEGER,
            failed INTEGER NOT NULL,
            max_failed INTEGER NOT NULL,
            blocked_reason TEXT,
            t_created INTEGER NOT NULL,
            t_expire INTEGER NOT NULL,
            t_last_used INTEGER NOT NULL,
            t_last_change INTEGER
        );
        CREATE INDEX activation_of_user ON activation(user_id, t_created DESC);
        CREATE UNIQUE INDEX activation_code_start ON activation(application, substr(code, 1, 11));
        CREATE INDEX activation_expiring ON activation(status, t_expire);
        CREATE TABLE activation_history (
            id INTEGER PRIMARY KEY,
            activation TEXT NOT NULL REFERENCES activation(activation_id),
            status INTEGER NOT NULL,
            reason TEXT,
            external_user TEXT,
            name TEXT,
            version INTEGER,
            t_created INTEGER NOT NULL
        );
        CREATE INDEX activation_history_of ON activation_history(activation, t_created);
        CREATE TABLE token (
            token_id TEXT PRIMARY KEY,
            activation TEXT NOT NULL REFERENCES activation(activation_id),
            secret BLOB NOT NULL,
            signature_type TEXT NOT NULL,
            t_created INTEGER NOT NULL
        );
        CREATE INDEX token_of ON token(activation);
        CREATE TABLE temporary_key (
            key_id TEXT PRIMARY KEY,
            app_key TEXT NOT NULL,
            activation_id TEXT,
            private_key BLOB NOT NULL,
            t_expire INTEGER NOT NULL
        );
        CREATE INDEX temporary_key_expiring ON temporary_key(t_expire);
        CREATE INDEX temporary_key_of ON temporary_key(activation_id, t_expire);
        CREATE TABLE unique_value (
            value TEXT PRIMARY KEY,
            type INTEGER NOT NULL,
            t_expire INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX unique_value_expiring ON unique_value(t_expire);
        """
}
