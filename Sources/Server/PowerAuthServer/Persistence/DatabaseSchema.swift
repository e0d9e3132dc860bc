// SPDX-License-Identifier: Apache-2.0

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
        if applied.count < migrator.migrations.count { try migrator.migrate(pool) }
    }

    private static let migrator: DatabaseMigrator = {
        var migrator = DatabaseMigrator()
        for (name, sql) in [
            ("1 applications and activations", tables), ("2 back office", backOffice),
            ("3 upgrades and claims", device), ("4 mobile token", mobileToken), ("5 sealed keys", sealing),
            ("6 audit", audit), ("7 addresses of temporary keys", temporaryKeyAddress), ("8 protocol 4", version4),
            ("9 temporary blocks", temporaryBlocks),
        ] { migrator.registerMigration(name) { try $0.execute(sql: sql) } }
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

    /// The tables behind recovery codes, the audit, integrations, callbacks and operations
    /// (server.md, section 28).
    private static let backOffice = """
        CREATE TABLE application_config (
            application INTEGER NOT NULL REFERENCES application(id),
            key TEXT NOT NULL,
            "values" TEXT NOT NULL,
            PRIMARY KEY (application, key)
        ) WITHOUT ROWID;
        CREATE TABLE signature_audit (
            id INTEGER PRIMARY KEY,
            activation_id TEXT NOT NULL,
            application INTEGER NOT NULL REFERENCES application(id),
            user_id TEXT NOT NULL,
            counter INTEGER,
            ctr_data BLOB,
            status INTEGER NOT NULL,
            info TEXT NOT NULL,
            data BLOB NOT NULL,
            version_text TEXT,
            type TEXT NOT NULL,
            signature TEXT NOT NULL,
            note TEXT NOT NULL,
            valid INTEGER NOT NULL,
            activation_version INTEGER,
            t_created INTEGER NOT NULL
        );
        CREATE INDEX signature_audit_of_user ON signature_audit(user_id, t_created);
        CREATE TABLE recovery_config (
            application INTEGER PRIMARY KEY REFERENCES application(id),
            activation_enabled INTEGER NOT NULL,
            postcard_enabled INTEGER NOT NULL,
            allow_multiple INTEGER NOT NULL,
            postcard_private BLOB,
            postcard_public BLOB,
            remote_public BLOB
        );
        CREATE TABLE recovery_code (
            id INTEGER PRIMARY KEY,
            application INTEGER NOT NULL REFERENCES application(id),
            user_id TEXT NOT NULL,
            activation_id TEXT,
            code TEXT NOT NULL,
            status INTEGER NOT NULL,
            failed INTEGER NOT NULL,
            max_failed INTEGER NOT NULL,
            t_created INTEGER NOT NULL,
            t_last_change INTEGER NOT NULL,
            UNIQUE (application, code)
        );
        CREATE INDEX recovery_code_of_activation ON recovery_code(activation_id);
        CREATE INDEX recovery_code_of_user ON recovery_code(user_id);
        CREATE TABLE recovery_puk (
            code INTEGER NOT NULL REFERENCES recovery_code(id),
            puk_index INTEGER NOT NULL,
            hash TEXT NOT NULL,
            status INTEGER NOT NULL,
            t_last_change INTEGER NOT NULL,
            PRIMARY KEY (code, puk_index)
        ) WITHOUT ROWID;
        CREATE TABLE integration (
            id TEXT PRIMARY KEY,
            name TEXT NOT NULL,
            token TEXT NOT NULL UNIQUE,
            secret TEXT NOT NULL
        );
        CREATE TABLE callback_url (
            id TEXT PRIMARY KEY,
            application INTEGER NOT NULL REFERENCES application(id),
            name TEXT NOT NULL,
            type TEXT NOT NULL,
            url TEXT NOT NULL,
            attributes TEXT NOT NULL,
            auth TEXT NOT NULL,
            retention_ms INTEGER,
            initial_backoff_ms INTEGER,
            max_attempts INTEGER,
            enabled INTEGER NOT NULL,
            failures INTEGER NOT NULL,
            t_last_failure INTEGER,
            t_created INTEGER NOT NULL,
            t_updated INTEGER NOT NULL
        );
        CREATE INDEX callback_url_of ON callback_url(application, type);
        CREATE TABLE callback_event (
            id INTEGER PRIMARY KEY,
            callback TEXT NOT NULL REFERENCES callback_url(id),
            payload TEXT NOT NULL,
            idempotency_key TEXT NOT NULL,
            status TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            t_created INTEGER NOT NULL,
            t_next_call INTEGER,
            t_rerun INTEGER,
            t_delete INTEGER
        );
        CREATE INDEX callback_event_due ON callback_event(status, t_next_call);
        CREATE INDEX callback_event_of ON callback_event(callback);
        CREATE INDEX callback_event_old ON callback_event(t_delete);
        CREATE TABLE callback_attempt (
            event INTEGER NOT NULL REFERENCES callback_event(id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            http_status INTEGER,
            failure TEXT,
            t_called INTEGER NOT NULL,
            PRIMARY KEY (event, number)
        ) WITHOUT ROWID;
        CREATE TABLE operation_template (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            type TEXT NOT NULL,
            data_template TEXT NOT NULL,
            signature_types TEXT NOT NULL,
            max_failures INTEGER NOT NULL,
            expiration_s INTEGER NOT NULL,
            risk_flags TEXT,
            proximity INTEGER NOT NULL
        );
        CREATE TABLE operation (
            id TEXT PRIMARY KEY,
            user_id TEXT,
            external_id TEXT,
            activation_flag TEXT,
            activation_id TEXT,
            type TEXT NOT NULL,
            template_name TEXT NOT NULL,
            data TEXT NOT NULL,
            parameters TEXT NOT NULL,
            additional TEXT NOT NULL,
            status INTEGER NOT NULL,
            status_reason TEXT,
            signature_types TEXT NOT NULL,
            failures INTEGER NOT NULL,
            max_failures INTEGER NOT NULL,
            risk_flags TEXT,
            totp_seed BLOB,
            t_created INTEGER NOT NULL,
            t_expire INTEGER NOT NULL,
            t_final INTEGER
        );
        CREATE INDEX operation_of_user ON operation(user_id, status, t_created);
        CREATE INDEX operation_external ON operation(external_id);
        CREATE INDEX operation_expiring ON operation(status, t_expire);
        CREATE TABLE operation_application (
            operation TEXT NOT NULL REFERENCES operation(id),
            application INTEGER NOT NULL REFERENCES application(id),
            PRIMARY KEY (operation, application)
        ) WITHOUT ROWID;
        """

    /// The tables behind protocol upgrades and the claims of users.
    private static let device = """
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

    /// The tables behind the texts of operations, registrations for push, and the inbox (mobile-token.md, sections 17.1, 20.1
    /// and 20.3), and the order of a user's history.
    ///
    /// The body of a message is the last column: SQLite reads a row up to the last requested column, and a list requests no
    /// body.
    private static let mobileToken = """
        CREATE TABLE ui_template (
            id INTEGER PRIMARY KEY,
            placeholder TEXT NOT NULL,
            language TEXT NOT NULL,
            title TEXT NOT NULL,
            message TEXT NOT NULL,
            attributes TEXT,
            result_texts TEXT,
            ui TEXT,
            UNIQUE (placeholder, language)
        );
        CREATE TABLE push_registration (
            id INTEGER PRIMARY KEY,
            application INTEGER NOT NULL REFERENCES application(id),
            token TEXT NOT NULL,
            platform TEXT NOT NULL,
            environment TEXT,
            activation TEXT NOT NULL UNIQUE REFERENCES activation(activation_id),
            user_id TEXT NOT NULL,
            active INTEGER NOT NULL,
            t_registered INTEGER NOT NULL
        );
        CREATE INDEX push_registration_of_user ON push_registration(user_id, application);
        CREATE INDEX push_registration_token ON push_registration(application, token);
        CREATE TABLE inbox_message (
            id TEXT PRIMARY KEY,
            user_id TEXT NOT NULL,
            type TEXT NOT NULL,
            subject TEXT NOT NULL,
            summary TEXT NOT NULL,
            t_created INTEGER NOT NULL,
            t_read INTEGER,
            body TEXT NOT NULL
        );
        CREATE INDEX inbox_message_of_user ON inbox_message(user_id, t_created);
        CREATE TABLE inbox_message_application (
            message TEXT NOT NULL REFERENCES inbox_message(id),
            application INTEGER NOT NULL REFERENCES application(id),
            PRIMARY KEY (message, application)
        ) WITHOUT ROWID;
        CREATE INDEX operation_history_of_user ON operation(user_id, t_created);
        """

    /// How private keys are stored, see ``StoredSecret``; those of earlier servers are in clear.
    private static let sealing = """
        ALTER TABLE activation ADD COLUMN server_private_mode INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE temporary_key ADD COLUMN private_key_mode INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE recovery_config ADD COLUMN postcard_private_mode INTEGER NOT NULL DEFAULT 0;
        """

    /// The addresses that requested the temporary keys of devices without activation.
    private static let temporaryKeyAddress = """
        ALTER TABLE temporary_key ADD COLUMN address TEXT;
        CREATE INDEX temporary_key_of_address ON temporary_key(app_key, address, t_expire) WHERE activation_id IS NULL;
        """

    /// The keys of protocol 4 (protocol-4.md, sections 4, 5 and 8). Those of an activation stand beside its row, which every
    /// authentication code writes anew and which stays small that way. A temporary key of protocol 4 is the secret that
    /// its suite has agreed on, in place of a private key.
    private static let version4 = """
        CREATE TABLE activation_v4 (
            of_activation TEXT PRIMARY KEY REFERENCES activation(activation_id),
            suite TEXT NOT NULL,
            device_ecdsa BLOB NOT NULL,
            device_mldsa BLOB,
            server_ecdsa BLOB NOT NULL,
            server_mldsa BLOB,
            suite_private BLOB NOT NULL,
            suite_private_mode INTEGER NOT NULL,
            secrets BLOB NOT NULL,
            secrets_mode INTEGER NOT NULL,
            confirmation_pending INTEGER NOT NULL,
            upgrade_counter INTEGER,
            upgrade_ctr_data BLOB
        );
        CREATE TABLE master_key_v4 (
            application INTEGER NOT NULL REFERENCES application(id),
            kind INTEGER NOT NULL,
            private_key BLOB NOT NULL,
            private_key_mode INTEGER NOT NULL,
            public_key BLOB NOT NULL,
            PRIMARY KEY (application, kind)
        );
        ALTER TABLE temporary_key ADD COLUMN suite TEXT;
        """

    /// Blocks of activations of protocol 4 for a time (protocol-4.md, section 16).
    private static let temporaryBlocks = """
        ALTER TABLE activation_v4 ADD COLUMN blocked_until INTEGER;
        ALTER TABLE activation_v4 ADD COLUMN blocks INTEGER NOT NULL DEFAULT 0;
        """

    /// The table of what happened to activations, operations and recovery codes (server.md, section 28, `audit_log`).
    private static let audit = """
        CREATE TABLE audit_log (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            t INTEGER NOT NULL,
            kind TEXT NOT NULL,
            text TEXT NOT NULL,
            detail TEXT NOT NULL
        );
        """
}
