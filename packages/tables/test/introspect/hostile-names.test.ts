import { introspect } from '@fastify-crud/tables'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useDatabase } from '../use-database.ts'

/** What would end a text, a comment or an object in JavaScript. */
const HOSTILE = [
  `'}); globalThis.hacked = 1; ({`,
  '"}); globalThis.hacked = 1; ({',
  '`$' + '{globalThis.hacked = 1}`',
  '*/ globalThis.hacked = 1 /*',
  'line\u2028globalThis.hacked = 1',
  'line\nglobalThis.hacked = 1',
  '\\"; globalThis.hacked = 1; //',
  '</script><script>',
]

describeOnBoth('introspect of hostile names', (setup) => {
  const database = useDatabase(setup)

  test.each(HOSTILE)('never makes %j code', async (name) => {
    const quoted = `"${name.replaceAll('"', '""').replaceAll('.', '_')}"`
    const text = `'${name.replaceAll("'", "''")}'`
    const { db } = database()
    await sql.raw(`create table ${quoted} (id integer primary key, ${quoted} text default ${text})`).execute(db)
    await sql.raw(`create table "session" (id integer primary key)`).execute(db)
    await sql.raw(`create view "view ${quoted.slice(1)} as select 1 as one`).execute(db)
    if (setup.name === 'postgres') {
      await sql.raw(`comment on table ${quoted} is ${text}`).execute(db)
      await sql.raw(`comment on column ${quoted}.${quoted} is ${text}`).execute(db)
    }
    const { source, resources, tables } = await introspect(db)
    expect(tables.size).toBe(3)
    const body = source.replace(/^import .*$/gm, '').replace('export const resources =', 'return')
    const defined = new Function('Type', 'defineResources', 'field', 'dbDefault', body)
    const given: unknown[] = []
    const anything = new Proxy({}, { get: () => (schema: unknown) => schema })
    const field = (_: unknown, options: unknown) => given.push(options)
    const descriptors = defined(anything, (one: unknown) => one, field, 'dbDefault')
    expect(Object.keys(descriptors)).toEqual([...resources.resources.keys()])
    expect((globalThis as { hacked?: unknown }).hacked).toBeUndefined()
    expect(Object.values(descriptors as Record<string, { table: string }>)[0]?.table).toBe(name.replaceAll('.', '_'))
  })
})
