import type { Database } from 'better-sqlite3'

/** A record as JSON text. */
export const record = `'{"id":' || parent.id || ',"name":' || json_quote(parent.name) || ',"quantity":' || parent.quantity
  || ',"children":[' || (
    select coalesce(group_concat(json, ','), '') from (
      select '{"id":' || id || ',"name":' || json_quote(name) || ',"quantity":' || quantity || '}' as json
      from child where "parentId" = parent.id order by id
    )
  ) || ']}'`

/** The statements that both services by hand need, prepared once. */
export function sqliteStatements(database: Database) {
  return {
    /** One record is fastest as JSON from the database, a page of them as plain rows. */
    record: database.prepare<[number], string>(`select ${record} from parent where id = ?`).pluck(),
    count: database.prepare<[], number>('select count(*) from parent').pluck(),
    page: database
      .prepare<[number, number], [id: number, name: string, quantity: number]>(
        'select id, name, quantity from parent order by id limit ? offset ?',
      )
      .raw(),
    /** A page is one range of ids, so its children are one range of the index. */
    childrenOfRange: database
      .prepare<[number, number], [parentId: number, id: number, name: string, quantity: number]>(
        `select "parentId", id, name, quantity from child
         where "parentId" between ? and ? order by "parentId", id`,
      )
      .raw(),
    insertParent: database.prepare<[string, number]>('insert into parent (name, quantity) values (?, ?)'),
    insertChildren: database.prepare<[number, string]>(
      `insert into child ("parentId", name, quantity)
       select ?, value ->> 'name', value ->> 'quantity' from json_each(?)`,
    ),
    updateParent: database.prepare<[string, number, number]>('update parent set name = ?, quantity = ? where id = ?'),
    updateChild: database.prepare<[string, number, number, number]>(
      'update child set name = ?, quantity = ? where id = ? and "parentId" = ?',
    ),
    deleteParent: database.prepare<[number]>('delete from parent where id = ?'),
  }
}

export type SqliteStatements = ReturnType<typeof sqliteStatements>
