/// The tables behind recovery codes, the audit, integrations, callbacks and operations
/// (server.md, section 28).
enum BackOfficeSchema {
    static let tables = """
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
}
