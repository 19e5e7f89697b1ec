import type { Database } from 'better-sqlite3'
import { type Changes, changesOfReplace } from './changes.ts'
import { noRecord } from './hand-written.ts'
import type { Create, Parent, Patch, Replace } from './schemas.ts'
import type { SqliteWrites } from './sqlite-by-hand.ts'
import type { SqliteStatements } from './sqlite-statements.ts'

/**
 * Writes with this library's guarantees. PUT looks at the record first and writes only if something changes, and decides
 * anew if another connection has written since. All write only what differs, and answer what the database has then.
 */
export function guardedWrites(database: Database, statements: SqliteStatements): SqliteWrites {
  const patchParent = database.prepare<[{ id: number; name: string | null; quantity: number | null }]>(
    `update parent set name = coalesce(@name, name), quantity = coalesce(@quantity, quantity)
     where id = @id and (name is not coalesce(@name, name) or quantity is not coalesce(@quantity, quantity))`,
  )
  const deleteChildren = database.prepare<[number]>('delete from child where "parentId" = ?')
  const deleteChild = database.prepare<[number]>('delete from child where id = ?')

  function recordOf(id: number): string {
    const json = statements.record.get(id)
    if (json === undefined) throw noRecord(id)
    return json
  }

  function apply(id: number, { parent, updated, added, removed }: Changes): void {
    for (const child of removed) deleteChild.run(child)
    if (parent !== undefined) statements.updateParent.run(parent.name, parent.quantity, id)
    for (const child of updated) statements.updateChild.run(child.name, child.quantity, child.id, id)
    if (added.length > 0) statements.insertChildren.run(id, JSON.stringify(added))
  }

  /** It cannot write if others have done so since it first read. */
  const update = database.transaction((id: number, decide: (before: Parent) => Changes | undefined): string => {
    const json = recordOf(id)
    const changes = decide(JSON.parse(json))
    if (changes === undefined) return json
    apply(id, changes)
    return recordOf(id)
  })

  function replace(id: number, body: Replace['Body']): string {
    const decide = (before: Parent) => changesOfReplace(before, body)
    try {
      return update(id, decide)
    } catch (error) {
      if (!String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')) throw error
      return update.immediate(id, decide)
    }
  }

  const create = ({ name, quantity, children = [] }: Create['Body']) => {
    const id = Number(statements.insertParent.run(name, quantity).lastInsertRowid)
    if (children.length > 0) statements.insertChildren.run(id, JSON.stringify(children))
    return { id, record: recordOf(id) }
  }

  const patch = (id: number, { name, quantity }: Patch['Body']): string => {
    patchParent.run({ id, name: name ?? null, quantity: quantity ?? null })
    return recordOf(id)
  }

  const remove = (id: number): void => {
    deleteChildren.run(id)
    if (statements.deleteParent.run(id).changes === 0) throw noRecord(id)
  }

  return {
    create: database.transaction(create).immediate,
    replace,
    patch: database.transaction(patch).immediate,
    remove: database.transaction(remove).immediate,
  }
}
