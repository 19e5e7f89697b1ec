import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns } from 'fastify-crud'
import { beforeEach, describe, expect, test } from 'vitest'
import { type AppOptions, useApp } from '../support/app.ts'
import { setups } from '../support/databases.ts'
import { otherWriter } from '../support/other-writer.ts'

const name = Type.String()

/** Both ends of each link show it. */
const model = defineResources({
  list: {
    fields: { name },
    relations: {
      lines: owns.many('line'),
      tags: knows.many('tag', { through: 'list_tag', from: 'listId', to: 'tagId' }),
    },
  },
  line: {
    fields: { name },
    relations: {
      list: ownedBy('list'),
      marks: knows.many('tag', { through: 'line_tag', from: 'lineId', to: 'tagId' }),
    },
  },
  tag: {
    fields: { name },
    relations: {
      lists: knows.many('list', { through: 'list_tag', from: 'tagId', to: 'listId' }),
      lines: knows.many('line', { through: 'line_tag', from: 'tagId', to: 'lineId' }),
    },
  },
})

const postgres = setups.filter(({ name: database }) => database === 'postgres')
const policies = { list: true, tag: { View: true, Add: true, Edit: true, Delete: true } }
const options: readonly (readonly [string, NonNullable<AppOptions['plugin']>])[] = [
  ['', {}],
  [', rules', { rules: { list: { validate: () => {} } } } as NonNullable<AppOptions['plugin']>],
  [', policies', { policies } as NonNullable<AppOptions['plugin']>],
]
const cases = postgres.flatMap((database) => options.map(([with_, plugin]) => ({ database, with_, plugin })))

describe.each(cases)('links that change while a write is under way ($database.title$with_)', ({ database, plugin }) => {
  const app = useApp(database, model, { plugin })
  let [red, blue]: number[] = []
  let list: { id: number; lines: { id: number }[] }
  const ids = (linked: readonly { id: number }[]) => linked.map(({ id }) => id)

  beforeEach(async () => {
    red = (await app.add('/api/tag', { name: 'red' })).id
    blue = (await app.add('/api/tag', { name: 'blue' })).id
    const lines = [{ name: 'a', marks: [{ id: red }] }, { name: 'b' }]
    list = await app.add('/api/list', { name: 'l', lines, tags: [{ id: red }] })
  })

  /** Sends a request that changes the second line, whose row another writer has while it changes links. */
  async function meanwhile(method: string, body: object, ...changes: string[]) {
    const other = await otherWriter(app.database)
    await other.run(`select 1 from line where id = ${list.lines[1]?.id} for update`)
    const answer = app.request(method, `/api/list/${list.id}`, body)
    await other.untilAwaited()
    for (const change of changes) await other.run(change)
    await other.end('commit')
    return await answer
  }

  const lines = () => [
    { id: list.lines[0]?.id, name: 'a', marks: [{ id: red }] },
    { id: list.lines[1]?.id, name: 'new', marks: [] },
  ]
  const replaced = () => ({ name: 'l', lines: lines(), tags: [{ id: red }] })
  const add = (table: string, from: string, id: unknown) =>
    `insert into ${table} ("${from}", "tagId") values (${id}, ${blue})`

  test('a PUT does not show those that were made, and leaves none that it shows not', async () => {
    const made = [add('list_tag', 'listId', list.id), add('line_tag', 'lineId', list.lines[0]?.id)]
    const { status, body } = await meanwhile('PUT', replaced(), ...made)
    expect([status, ids(body.tags), ids(body.lines[0].marks)]).toEqual([200, [red], [red]])
    expect(await app.read(`/api/list/${list.id}`)).toEqual(body)
  })

  test('a PUT shows those that were removed', async () => {
    const { status, body } = await meanwhile('PUT', replaced(), `delete from list_tag`)
    expect([status, ids(body.tags)]).toEqual([200, [red]])
    expect(await app.read(`/api/list/${list.id}`)).toEqual(body)
  })

  test('a PUT shows those of what it owns that were removed', async () => {
    const { status, body } = await meanwhile('PUT', replaced(), `delete from line_tag`)
    expect([status, ids(body.lines[0].marks)]).toEqual([200, [red]])
    expect(await app.read(`/api/list/${list.id}`)).toEqual(body)
  })

  test('a PATCH shows what it has named', async () => {
    const body = { tags: [{ id: red }], lines: [{ id: list.lines[1]?.id, name: 'new' }] }
    const answer = await meanwhile('PATCH', body, `delete from list_tag`)
    expect([answer.status, ids(answer.body.tags)]).toEqual([200, [red]])
    expect(await app.read(`/api/list/${list.id}`)).toEqual(answer.body)
  })
})

describe.each(postgres)('links that the database itself adds to a write ($title)', (database) => {
  const app = useApp(database, model)

  test('are in the answer', async () => {
    const { id: tagId } = await app.add('/api/tag', { name: 'by the database' })
    const list = await app.add('/api/list', { name: 'l', lines: [{ name: 'a' }], tags: [] })
    const other = await otherWriter(app.database)
    await other.run(
      `create function adds_tag() returns trigger language plpgsql as $$ begin
         insert into list_tag ("listId", "tagId") values (new.id, ${tagId}) on conflict do nothing; return new; end $$`,
    )
    await other.run('create trigger adds_tag after update on list for each row execute function adds_tag()')
    await other.end('commit')
    const answer = await app.put(`/api/list/${list.id}`, { name: 'new', lines: list.lines, tags: [] })
    expect(answer).toMatchObject({ status: 200, body: { name: 'new', tags: [{ id: tagId }] } })
  })
})
