import type { QueryConfig } from 'pg'

// JSON is built by the database and passed through as text. Every statement has a name, so a connection prepares it once.

const childJson = `json_build_object('id', id, 'name', name, 'quantity', quantity)`

const children = `coalesce((select json_agg(${childJson} order by id) from child where "parentId" = parent.id), '[]')`

const recordJson = (childrenJson: string) =>
  `json_build_object('id', id, 'name', name, 'quantity', quantity, 'children', ${childrenJson})`

const named = (name: string, text: string) => ({
  with: (...values: unknown[]): QueryConfig => ({ name, text, values }),
})

/** The new children in a JSON array, given ids in their order. */
const newChildren = (parentId: string, parameter: string) =>
  `insert into child ("parentId", name, quantity)
   select ${parentId}, value ->> 'name', (value ->> 'quantity')::bigint
   from jsonb_array_elements(${parameter}::jsonb) with ordinality as given (value, number)
   order by number
   returning id, name, quantity`

const collected = (rows: string) => `coalesce((select json_agg(${childJson} order by id) from ${rows}), '[]')`

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

  create: named(
    'create',
    `with created as (insert into parent (name, quantity) values ($1, $2) returning id, name, quantity),
          added as (${newChildren('(select id from created)', '$3')})
     select id, ${recordJson(collected('added'))}::text as json from created`,
  ),

  lock: named('lock', 'select 1 from parent where id = $1 for update'),

  /** Runs under the lock. `found` is how many of the listed children are this parent's. */
  replace: named(
    'replace',
    `with listed as (
            select * from jsonb_to_recordset($4::jsonb) as given (id bigint, name text, quantity bigint)),
          replaced as (update parent set name = $2, quantity = $3 where id = $1 returning id, name, quantity),
          updated as (
            update child set name = listed.name, quantity = listed.quantity
            from listed where child.id = listed.id and child."parentId" = $1
            returning child.id, child.name, child.quantity),
          added as (${newChildren('$1', '$5')}),
          removed as (delete from child where "parentId" = $1 and id not in (select id from listed))
     select (select count(*) from updated)::int as found,
            ${recordJson(collected('(table updated union all table added) as kept'))}::text as json
     from replaced`,
  ),

  patch: named(
    'patch',
    `update parent set name = coalesce($2, name), quantity = coalesce($3, quantity) where id = $1
     returning ${recordJson(children)}::text as json`,
  ),

  // What the writes with this library's guarantees consist of.

  insert: named(
    'insert',
    `with created as (insert into parent (name, quantity) values ($1, $2) returning id)
     ${newChildren('(select id from created)', '$3')}`,
  ),

  createdRecord: named(
    'created-record',
    `select id, ${recordJson(children)}::text as json from parent where id = (select currval('parent_id_seq'))`,
  ),

  /** Fails if the record would not be read as the same JSON. What is cast depends on it, so it is not cast beforehand. */
  unchanged: named(
    'unchanged',
    `select case when found.json is distinct from $2 then cast('changed' || left(coalesce(found.json, ''), 0) as integer) end
     from (select) as one left join (select ${recordJson(children)}::text as json from parent where id = $1) as found on true`,
  ),

  updateParent: named('update-parent', 'update parent set name = $2, quantity = $3 where id = $1'),

  change: named(
    'change',
    `with updated_parent as (update parent set name = $2, quantity = $3 where id = $1 and $2::text is not null),
          removed as (delete from child where id = any ($4::bigint[])),
          updated as (
            update child set name = listed.name, quantity = listed.quantity
            from jsonb_to_recordset($5::jsonb) as listed (id bigint, name text, quantity bigint)
            where child.id = listed.id and child."parentId" = $1)
     ${newChildren('$1', '$6')}`,
  ),

  childIds: named('child-ids', 'select id from child where "parentId" = $1 order by id'),

  removeAll: named(
    'remove-all',
    'with children as (delete from child where id = any ($2::bigint[])) delete from parent where id = $1',
  ),

  remove: named('remove', `with gone as (delete from child where "parentId" = $1) delete from parent where id = $1`),
}
