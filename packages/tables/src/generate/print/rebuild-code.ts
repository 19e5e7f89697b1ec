/**
 * The functions of a migration that makes a table of SQLite anew. They read the table, its indexes and its triggers
 * when the migration runs, so that none is lost which only that database has. In a migration they cannot change with
 * the library.
 */
export const REBUILD_CODE = String.raw`/** Works in one transaction, while foreign keys do nothing. At its end, it checks those from and to these tables. */
async function withoutForeignKeys(
  db: Kysely<any>,
  tables: readonly string[],
  work: (db: Kysely<any>) => Promise<void>,
): Promise<void> {
  if (db.isTransaction) throw new Error('This migration switches foreign keys off, which no transaction can do.')
  await db.withoutPlugins().connection().execute(async (connection) => {
    const [keys] = await run(connection, 'select foreign_keys as setting from pragma_foreign_keys')
    const [legacy] = await run(connection, 'select legacy_alter_table as setting from pragma_legacy_alter_table')
    // Foreign keys of others must neither act nor be renamed, and views may name a table that is gone for a moment.
    await run(connection, 'pragma foreign_keys = off')
    await run(connection, 'pragma legacy_alter_table = on')
    try {
      await connection.transaction().execute(async (transaction) => {
        await work(transaction)
        for (const table of tables) await checkForeignKeys(transaction, table)
      })
    } finally {
      await run(connection, 'pragma legacy_alter_table = ' + Number(legacy?.setting))
      await run(connection, 'pragma foreign_keys = ' + Number(keys?.setting))
    }
  })
}

/**
 * Makes a table anew with changes in its CREATE TABLE, in the steps of https://www.sqlite.org/lang_altertable.html,
 * section 7. Keeps its rows, indexes and triggers, the foreign keys and views of others, and the number of the last id.
 */
async function rebuild(db: Kysely<any>, table: string, edits: readonly Edit[]): Promise<void> {
  const old = text(table) + ' collate nocase'
  const objects = await run(
    db,
    'select type, sql from sqlite_schema where tbl_name = ' + old + ' and sql is not null order by rowid',
  )
  const created = objects.find(({ type }) => type === 'table')
  if (created === undefined) throw new Error('There is no table ' + table)
  const body = edits.reduce((sql, one) => edited(sql, one, table), String(created.sql)).replace(HEAD, '')
  const newTable = table + '__new'
  await run(db, 'create table ' + quoted(newTable) + body)

  // Without those that are computed.
  const found = await run(db, 'select name from pragma_table_xinfo(' + text(table) + ') where hidden = 0')
  const columns = found.map(({ name }) => quoted(String(name))).join(', ')
  await run(
    db,
    'insert into ' + quoted(newTable) + ' (' + columns + ') select ' + columns + ' from ' + quoted(table),
  )
  if ((await run(db, "select 1 from sqlite_schema where name = 'sqlite_sequence'")).length > 0) {
    await run(db, 'delete from sqlite_sequence where name = ' + text(newTable))
    const last = 'select ' + text(newTable) + ', seq from sqlite_sequence where name = ' + old
    await run(db, 'insert into sqlite_sequence (name, seq) ' + last)
  }
  await run(db, 'drop table ' + quoted(table))
  await run(db, 'alter table ' + quoted(newTable) + ' rename to ' + quoted(table))
  for (const { type, sql } of objects) {
    if (type === 'index' || type === 'trigger') await run(db, String(sql))
  }
}

async function checkForeignKeys(db: Kysely<any>, table: string): Promise<void> {
  const name = text(table) + ' collate nocase'
  const broken = 'select 1 from pragma_foreign_key_check where "table" = ' + name + ' or parent = ' + name
  if ((await run(db, broken)).length > 0) throw new Error('Rows of ' + table + ' name rows that are not there')
}

type Edit = readonly [from: string, to: string]

/** Adds a part to a CREATE TABLE where there is nothing to replace, and removes one where there is nothing to put. */
function edited(createTable: string, [from, to]: Edit, table: string): string {
  if (from === '') {
    const end = createTable.lastIndexOf(')')
    return createTable.slice(0, end) + ', ' + to + createTable.slice(end)
  }
  const [before = '', after, ...others] = createTable.split(from)
  if (after === undefined || others.length > 0) {
    throw new Error('The table ' + table + ' is not as it was where this migration was generated: ' + from)
  }
  return (to === '' ? before.replace(/,\s*$/, '') : before + to) + after
}

/** What a CREATE TABLE begins with. */
const HEAD = /^create\s+table\s+(?:"(?:[^"]|"")*"|'(?:[^']|'')*'|\x60[^\x60]*\x60|\[[^\]]*\]|[^\s(]+)/i

function quoted(name: string): string {
  return '"' + name.replaceAll('"', '""') + '"'
}

function text(value: string): string {
  return "'" + value.replaceAll("'", "''") + "'"
}
`
