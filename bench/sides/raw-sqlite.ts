import { openFile } from '../src/databases.ts'
import { forPages } from '../src/works.ts'
import { type Child, type NewChild, notItsChild } from './bodies.ts'
import { libraryPages, withCursor } from './library-pages.ts'
import { serveByHand } from './serve-by-hand.ts'

// JSON as text.
const OWN = `'{"id":' || id || ',"name":' || json_quote(name) || ',"quantity":' || quantity`
const RECORD = `${OWN} || ',"children":[' || (
  select coalesce(group_concat(json, ','), '') from (
    select ${OWN} || '}' as json from child where parent_id = parent.id order by id
  )
) || ']}'`

const PAGE = `
  select '{"rows":[' || coalesce(group_concat(json, ','), '') || '],"count":' || (select count(*) from parent) || '}'
  from (select ${RECORD} as json from parent order by id limit ? offset ?)`

/**
 * better-sqlite3, tuned by hand: statements are prepared once, writes lock as they begin, and answer by what they know. Pages have the
 * SQL of this library.
 */
export async function start(location: string): Promise<number> {
  const libraryStatements = await libraryPages(location)
  const database = openFile(location)
  const prepare = (sql: string) => database.prepare<unknown[]>(sql)
  const recordOf = database.prepare<[number], string>(`select ${RECORD} from parent where id = ?`).pluck()
  const listed = database.prepare<[number, number], string>(PAGE).pluck()
  const insertParent = prepare('insert into parent (name, quantity) values (?, ?)')
  const insertChildren = prepare(
    `insert into child (parent_id, name, quantity) select ?, value ->> 'name', value ->> 'quantity' from json_each(?)`,
  )
  const setParent = prepare('update parent set name = coalesce(?, name), quantity = coalesce(?, quantity) where id = ?')
  const updateChild = prepare('update child set name = ?, quantity = ? where id = ? and parent_id = ?')
  const deleteUnlisted = prepare('delete from child where parent_id = ? and id not in (select value from json_each(?))')
  const deleteChildren = prepare('delete from child where parent_id = ?')
  const deleteParent = prepare('delete from parent where id = ?')

  const inTransaction = <Arguments extends unknown[], Result>(write: (...args: Arguments) => Result) =>
    database.transaction(write).immediate

  const add = (parent: number, children: readonly NewChild[]): Child[] => {
    if (children.length === 0) return []
    const { lastInsertRowid } = insertChildren.run(parent, JSON.stringify(children))
    // The table counts its ids up, and nobody else writes meanwhile.
    const first = Number(lastInsertRowid) - children.length + 1
    return children.map(({ name, quantity }, index) => ({ id: first + index, name, quantity }))
  }

  return serveByHand({
    find: (id) => recordOf.get(id),
    list: (limit, offset) => listed.get(limit, offset) ?? '',
    pages: forPages((name) => {
      const { sql, toValues } = libraryStatements[name]
      const page = database.prepare<unknown[], string>(sql).pluck()
      return (number) => withCursor(page.get(...toValues(number)) ?? '')
    }),

    create: inTransaction(({ name, quantity, children = [] }) => {
      const id = Number(insertParent.run(name, quantity).lastInsertRowid)
      return { id, record: { id, name, quantity, children: add(id, children) } }
    }),

    replace: inTransaction((id, { name, quantity, listed, added }) => {
      if (setParent.run(name, quantity, id).changes === 0) return undefined
      for (const child of listed) {
        if (updateChild.run(child.name, child.quantity, child.id, id).changes === 0) throw notItsChild()
      }
      deleteUnlisted.run(id, JSON.stringify(listed.map((child) => child.id)))
      return { id, name, quantity, children: [...listed, ...add(id, added)] }
    }),

    patch: inTransaction((id, { name, quantity }) => {
      setParent.run(name ?? null, quantity ?? null, id)
      return recordOf.get(id)
    }),

    remove: inTransaction((id) => {
      deleteChildren.run(id)
      return deleteParent.run(id).changes
    }),
  })
}
