import SqliteDriver from 'better-sqlite3'

/** The tables of the peers that do not make their own: with cascades, as these leave that to the database. */
export function createTables(file) {
  const database = new SqliteDriver(file)
  database.pragma('journal_mode = WAL')
  database.exec(`
    create table parent (id integer primary key autoincrement, name text not null, quantity integer not null);
    create table child (
      id integer primary key autoincrement, name text not null, quantity integer not null,
      "parentId" integer not null references parent (id) on delete cascade
    );
    create index child_parent on child ("parentId");
  `)
  database.close()
}
