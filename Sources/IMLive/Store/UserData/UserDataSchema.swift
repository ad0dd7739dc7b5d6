import GRDB

/// The tables of a user's local data, with all migrations.
enum UserDataSchema {
    /// The application id in the head of each file with local data: the letters "imda".
    private static let applicationID = 0x696D_6461

    /// Why a file must not be changed, as text; nil for an empty file and for one with this owner's data.
    static func rejectionReason(to database: Database, owner: String) throws -> String? {
        let isEmpty = try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM sqlite_master") == 0
        if isEmpty { return nil }
        guard try Int.fetchOne(database, sql: "PRAGMA application_id") == applicationID else {
            return "it is not a store of imrepl"
        }
        if try migrations(owner: owner).hasBeenSuperseded(database) { return "it is newer than this version" }
        guard try database.tableExists("owner"),
            let kept = try String.fetchOne(database, sql: "SELECT name FROM owner")
        else { return nil }
        return kept == owner ? nil : "it belongs to another user"
    }

    static func migrations(owner: String) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1: a user's data") { database in
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.execute(sql: tables)
            try database.execute(
                sql: "INSERT INTO owner (only, name, position) VALUES (1, ?, '0')", arguments: [owner])
        }
        migrator.registerMigration("2: marks on conversations") { database in
            try database.execute(sql: "ALTER TABLE conversation ADD COLUMN marks TEXT")
        }
        // The ids of messages are unique for each sender only, because each user chooses them (C-14).
        migrator.registerMigration("3: ids of several users") { database in
            try database.execute(sql: "DROP INDEX message_by_id")
            try database.execute(
                sql: "CREATE UNIQUE INDEX message_by_id ON message (id, sender) WHERE id IS NOT NULL")
        }
        migrator.registerMigration("4: unread messages, drafts apart from the place in the list") { database in
            try database.execute(sql: unreadMessages)
        }
        migrator.registerMigration("5: messages enter the search index in groups") { database in
            try database.execute(
                sql: """
                    ALTER TABLE owner ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;
                    UPDATE owner SET indexed = (SELECT COALESCE(MAX(localID), 0) FROM message);
                    """)
        }
        return migrator
    }

    /// Older data has only the number of unread messages of a conversation. That many of its latest stored messages are
    /// marked as unread.
    private static let unreadMessages = """
        ALTER TABLE conversation ADD COLUMN messageTime INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE conversation ADD COLUMN draftTime INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE conversation ADD COLUMN kept INTEGER NOT NULL DEFAULT 1;
        UPDATE conversation SET messageTime = orderKey, draftTime = orderKey, kept = listed;
        ALTER TABLE message ADD COLUMN unread INTEGER NOT NULL DEFAULT 0;
        UPDATE message SET unread = 1 WHERE localID IN (
          SELECT localID FROM (
            SELECT m.localID, c.unread AS count, row_number() OVER (
              PARTITION BY m.conversation ORDER BY m.timestamp DESC, m.sequence DESC, m.localID DESC) AS place
            FROM message m JOIN conversation c ON c.serial = m.conversation
            WHERE c.unread > 0 AND NOT m.inserted AND m.sender <> (SELECT name FROM owner))
          WHERE place <= count);
        UPDATE conversation SET unread = (
          SELECT COUNT(*) FROM message m WHERE m.conversation = conversation.serial AND m.unread) WHERE unread > 0;
        CREATE INDEX message_unread ON message (conversation, timestamp) WHERE unread;
        """

    // All times are milliseconds since 1970.
    private static let tables = """
        CREATE TABLE owner (only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL, position TEXT NOT NULL);

        -- Entries with a name, such as users, friends and groups, in the order of their arrival.
        CREATE TABLE counter (
          kind INTEGER NOT NULL, scope TEXT NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (kind, scope)
        ) WITHOUT ROWID;
        CREATE TABLE entry (
          kind INTEGER NOT NULL, scope TEXT NOT NULL, serial INTEGER NOT NULL, name TEXT NOT NULL, record BLOB NOT NULL,
          PRIMARY KEY (kind, scope, serial)
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX entry_by_name ON entry (kind, scope, name);

        CREATE TABLE conversation (
          serial INTEGER PRIMARY KEY, kind INTEGER NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, alias TEXT NOT NULL,
          avatar TEXT NOT NULL, notifies INTEGER NOT NULL, pinned INTEGER NOT NULL, unread INTEGER NOT NULL,
          draft TEXT NOT NULL, orderKey INTEGER NOT NULL, listed INTEGER NOT NULL, cleared TEXT,
          UNIQUE (kind, id)
        );
        CREATE INDEX conversation_in_list ON conversation (pinned, orderKey, serial) WHERE listed;

        CREATE TABLE message (
          localID INTEGER PRIMARY KEY AUTOINCREMENT, conversation INTEGER NOT NULL REFERENCES conversation (serial),
          id TEXT, sender TEXT NOT NULL, kind INTEGER NOT NULL, text TEXT NOT NULL, timestamp INTEGER NOT NULL,
          sequence INTEGER NOT NULL, sent INTEGER NOT NULL, inserted INTEGER NOT NULL, noted TEXT,
          fileName TEXT, fileSize INTEGER, downloadedAt INTEGER, lastReaction INTEGER NOT NULL DEFAULT 0,
          -- The rest of a message that has more, as the change that brought it.
          more BLOB
        );
        CREATE UNIQUE INDEX message_by_id ON message (id) WHERE id IS NOT NULL;
        CREATE INDEX message_in_conversation ON message (conversation, timestamp, sequence, localID);
        CREATE INDEX message_in_time ON message (timestamp, sequence, localID);
        CREATE INDEX message_downloaded ON message (conversation, kind, downloadedAt, fileSize)
          WHERE downloadedAt IS NOT NULL;

        -- The earliest and the latest time of the messages in a block of 1024 numbers. Messages arrive nearly in the
        -- order of their times, so that a search by blocks reads the newest messages first, and not all of them.
        CREATE TABLE message_block (
          block INTEGER PRIMARY KEY, oldest INTEGER NOT NULL, newest INTEGER NOT NULL
        );

        CREATE TABLE removed (id TEXT PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE reaction (
          message INTEGER NOT NULL REFERENCES message (localID) ON DELETE CASCADE, serial INTEGER NOT NULL,
          type TEXT NOT NULL, user TEXT NOT NULL, PRIMARY KEY (message, serial)
        ) WITHOUT ROWID;
        CREATE TABLE reader (
          message INTEGER NOT NULL REFERENCES message (localID) ON DELETE CASCADE, user TEXT NOT NULL,
          PRIMARY KEY (message, user)
        ) WITHOUT ROWID;

        -- The bigrams of each message; see Bigrams. Each message that it returns is then checked.
        CREATE VIRTUAL TABLE gram USING fts5 (
          terms, content = '', detail = none, columnsize = 0, tokenize = 'ascii'
        );
        -- Each part of a sync adds a segment to the index. More segments than by default are merged at once.
        INSERT INTO gram (gram, rank) VALUES ('automerge', 16);
        """
}
