import type { QueryConfig } from 'pg'

// JSON is built by the database and passed through as text. Every statement has a name, so a connection prepares it once.

export const childJson = `json_build_object('id', id, 'name', name, 'quantity', quantity)`

export const children = `coalesce((select json_agg(${childJson} order by id) from child where "parentId" = parent.id), '[]')`

export const recordJson = (childrenJson: string) =>
  `json_build_object('id', id, 'name', name, 'quantity', quantity, 'children', ${childrenJson})`

export const named = (name: string, text: string) => ({
  with: (...values: unknown[]): QueryConfig => ({ name, text, values }),
})

/** The new children in a JSON array, given ids in their order. */
export const newChildren = (parentId: string, parameter: string) =>
  `insert into child ("parentId", name, quantity)
   select ${parentId}, value ->> 'name', (value ->> 'quantity')::bigint
   from jsonb_array_elements(${parameter}::jsonb) with ordinality as given (value, number)
   order by number
   returning id, name, quantity`

/** The statements that both services by hand need. */
export const statements = {
  record: named('record', `select ${recordJson(children)}::text as json from parent where id = $1`),

  page: named(
    'page',
    `select json_build_object(
       'rows', coalesce((
         select json_agg(${recordJson(children)} order by id)
         from (select * from parent order by id limit $1 offset $2) as parent), '[]'),
       'count', (select count(*) from parent))::text as json`,
  ),

  lock: named('lock', 'select 1 from parent where id = $1 for update'),
}
