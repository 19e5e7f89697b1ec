import type { Database } from 'better-sqlite3'
import { noRecord, notItsChild } from './hand-written.ts'
import { type Child, type Create, checkReplace, type Parent, type Patch, type Replace } from './schemas.ts'
import type { SqliteWrites } from './sqlite-by-hand.ts'
import type { SqliteStatements } from './sqlite-statements.ts'

/** Writes that read as little as they can, each in one transaction that takes the write lock at its begin. */
export function rawWrites(database: Database, statements: SqliteStatements): SqliteWrites {
  const patchParent = database.prepare<[string | null, number | null, number]>(
    'update parent set name = coalesce(?, name), quantity = coalesce(?, quantity) where id = ?',
  )
  const deleteUnlisted = database.prepare<[number, string]>(
    'delete from child where "parentId" = ? and id not in (select value from json_each(?))',
  )
  const deleteChildren = database.prepare<[number]>('delete from child where "parentId" = ?')

  function insertChildren(parent: number, children: readonly Omit<Child, 'id'>[]): Child[] {
    if (children.length === 0) return []
    const { lastInsertRowid } = statements.insertChildren.run(parent, JSON.stringify(children))
    // The table counts its ids up, and nobody else writes meanwhile.
    const first = Number(lastInsertRowid) - children.length + 1
    return children.map(({ name, quantity }, index) => ({ id: first + index, name, quantity }))
  }

  const create = ({ name, quantity, children = [] }: Create['Body']) => {
    const id = Number(statements.insertParent.run(name, quantity).lastInsertRowid)
    return { id, record: { id, name, quantity, children: insertChildren(id, children) } }
  }

  const replace = (id: number, body: Replace['Body']): Parent => {
    const { listed, added } = checkReplace(id, body)
    const { name, quantity } = body
    if (statements.updateParent.run(name, quantity, id).changes === 0) throw noRecord(id)
    for (const child of listed) {
      if (statements.updateChild.run(child.name, child.quantity, child.id, id).changes === 0) throw notItsChild()
    }
    listed.sort((a, b) => a.id - b.id)
    deleteUnlisted.run(id, JSON.stringify(listed.map((child) => child.id)))
    return { id, name, quantity, children: [...listed, ...insertChildren(id, added)] }
  }

  const patch = (id: number, { name, quantity }: Patch['Body']): string => {
    if (patchParent.run(name ?? null, quantity ?? null, id).changes === 0) throw noRecord(id)
    return statements.record.get(id) as string
  }

  const remove = (id: number): void => {
    deleteChildren.run(id)
    if (statements.deleteParent.run(id).changes === 0) throw noRecord(id)
  }

  return {
    create: database.transaction(create).immediate,
    replace: database.transaction(replace).immediate,
    patch: database.transaction(patch).immediate,
    remove: database.transaction(remove).immediate,
  }
}
