/// The tables behind the texts of operations, registrations for push, and the inbox (mobile-token.md, sections 17.1, 20.1
/// and 20.3), and the order of a user's history.
///
/// The body of a message is the last column: SQLite reads a row up to the last requested column, and a list requests no
/// body.
enum MobileTokenSchema {
    static let tables = """
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
}
