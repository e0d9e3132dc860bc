import GRDB
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Query columns", .endsInTime)
struct QueryColumnTests {
    private enum Person: String, QueryColumn {
        case id = "person.id"
        case name
        case nick
    }

    private enum Place: String, QueryColumn {
        case id = "place.id"
        case town
    }

    @Test("The text of a query and the reading of its rows agree, also where two tables have columns of one name")
    func queryAndRowsAgree()
        throws
    {
        let database = try DatabaseQueue()
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE person (nick TEXT, name TEXT NOT NULL, id INTEGER PRIMARY KEY);
                    CREATE TABLE place (town TEXT NOT NULL, id INTEGER PRIMARY KEY);
                    INSERT INTO person (id, name, nick) VALUES (1, 'Eva', NULL), (2, 'Jan', 'Honza');
                    INSERT INTO place (id, town) VALUES (7, 'Brno');
                    """)
        }
        let sql = "SELECT \(Person.list), \(Place.list) FROM person JOIN place ORDER BY person.id"
        #expect(sql.hasPrefix("SELECT person.id, name, nick, place.id, town FROM"))
        func describe(_ row: QueryRow<Person>) -> String {
            let (place, nick): (QueryRow<Place>, String?) = (row.following(), row[.nick])
            return
                "\(row[.id] as Int) \(row[.name] as String) \(nick ?? "-") \(place[.id] as Int) \(place[.town] as String)"
        }
        let (all, first) = try database.read { database in
            (
                try Row.fetchAll(database, sql: sql).map { describe(QueryRow($0)) },
                try QueryRow<Person>.first(database.cachedStatement(sql: sql), arguments: [], describe)
            )
        }
        #expect(all == ["1 Eva - 7 Brno", "2 Jan Honza 7 Brno"])
        #expect(first == all.first)
    }
}
