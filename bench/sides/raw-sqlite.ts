import { openFile } from '../src/databases.ts'
import { type Child, type NewChild, noRecord, notItsChild, splitChildren } from './bodies.ts'
import { type Queries, serveByHand } from './serve-by-hand.ts'

/** A record as JSON text. */
const RECORD = `'{"id":' || parent.id || ',"name":' || json_quote(parent.name) || ',"quantity":' || parent.quantity
  || ',"children":[' || (
    select coalesce(group_concat(json, ','), '') from (
      select '{"id":' || id || ',"name":' || json_quote(name) || ',"quantity":' || quantity || '}' as json
      from child where "parentId" = parent.id order by id
    )
  ) || ']}'`

type Row = [id: number, name: string, quantity: number]

/** better-sqlite3, tuned by hand: statements are prepared once, writes lock as they begin, and answer by what they know. */
export function start(location: string): Promise<number> {
  const database = openFile(location)
  const prepare = (sql: string) => database.prepare<unknown[]>(sql)
  const recordOf = database.prepare<[number], string>(`select ${RECORD} from parent where id = ?`).pluck()
  const countOf = database.prepare<[], number>('select count(*) from parent').pluck()
  const pageOf = database
    .prepare<[number, number], Row>('select id, name, quantity from parent order by id limit ? offset ?')
    .raw()
  // A page is one range of ids, so its children are one range of the index.
  const childrenOfRange = database
    .prepare<[number, number], [parentId: number, ...Row]>(
      'select "parentId", id, name, quantity from child where "parentId" between ? and ? order by "parentId", id',
    )
    .raw()
  const insertParent = prepare('insert into parent (name, quantity) values (?, ?)')
  const insertChildren = prepare(
    `insert into child ("parentId", name, quantity) select ?, value ->> 'name', value ->> 'quantity' from json_each(?)`,
  )
  const updateParent = prepare('update parent set name = ?, quantity = ? where id = ?')
  const updateChild = prepare('update child set name = ?, quantity = ? where id = ? and "parentId" = ?')
  const deleteUnlisted = prepare(
    'delete from child where "parentId" = ? and id not in (select value from json_each(?))',
  )
  const patchParent = prepare(
    'update parent set name = coalesce(?, name), quantity = coalesce(?, quantity) where id = ?',
  )
  const deleteChildren = prepare('delete from child where "parentId" = ?')
  const deleteParent = prepare('delete from parent where id = ?')

  const find: Queries['find'] = (id) => {
    const json = recordOf.get(id)
    if (json === undefined) throw noRecord(id)
    return json
  }

  const list: Queries['list'] = (limit, offset) => {
    const count = countOf.get() ?? 0
    const rows = pageOf
      .all(limit, offset)
      .map(([id, name, quantity]) => ({ id, name, quantity, children: [] as Child[] }))
    let row = 0
    for (const [parentId, id, name, quantity] of childrenOfRange.all(rows[0]?.id ?? 0, rows.at(-1)?.id ?? 0)) {
      while (rows[row]?.id !== parentId) row += 1
      rows[row]?.children.push({ id, name, quantity })
    }
    return { rows, count }
  }

  const add = (parent: number, children: readonly NewChild[]): Child[] => {
    if (children.length === 0) return []
    const { lastInsertRowid } = insertChildren.run(parent, JSON.stringify(children))
    // The table counts its ids up, and nobody else writes meanwhile.
    const first = Number(lastInsertRowid) - children.length + 1
    return children.map(({ name, quantity }, index) => ({ id: first + index, name, quantity }))
  }

  const create: Queries['create'] = ({ name, quantity, children = [] }) => {
    const id = Number(insertParent.run(name, quantity).lastInsertRowid)
    return { id, record: { id, name, quantity, children: add(id, children) } }
  }

  const replace: Queries['replace'] = (id, body) => {
    const { listed, added } = splitChildren(body)
    const { name, quantity } = body
    if (updateParent.run(name, quantity, id).changes === 0) throw noRecord(id)
    for (const child of listed) {
      if (updateChild.run(child.name, child.quantity, child.id, id).changes === 0) throw notItsChild()
    }
    deleteUnlisted.run(id, JSON.stringify(listed.map((child) => child.id)))
    return { id, name, quantity, children: [...listed, ...add(id, added)] }
  }

  const patch: Queries['patch'] = (id, { name, quantity }) => {
    if (patchParent.run(name ?? null, quantity ?? null, id).changes === 0) throw noRecord(id)
    return find(id)
  }

  const remove: Queries['remove'] = (id) => {
    deleteChildren.run(id)
    if (deleteParent.run(id).changes === 0) throw noRecord(id)
    return null
  }

  return serveByHand({
    find,
    list,
    create: database.transaction(create).immediate,
    replace: database.transaction(replace).immediate,
    patch: database.transaction(patch).immediate,
    remove: database.transaction(remove).immediate,
  })
}
