import { createStore, defineResources, type Id, knows, needs, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources(
  {
    org: { id: 'uuid', fields: { name: Type.String() } },
    note: {
      id: 'uuid',
      fields: { text: Type.String() },
      relations: { lines: owns.many('line'), about: knows.one('topic'), tags: knows.many('tag') },
    },
    line: { id: 'uuid', topLevel: true, fields: { text: Type.String() }, relations: { note: ownedBy('note') } },
    tag: { id: 'uuid', fields: { name: Type.String() } },
    topic: {
      id: 'uuid',
      fields: { name: Type.String() },
      columns: { ownerId: 'org_id' },
      relations: { owner: needs.one('org') },
    },
  },
  { tenant: { resource: 'org', column: 'org_id' } },
)

describeOnBoth('A list of all tenants', (database) => {
  let open: OpenDatabase
  const ids: Id[] = []
  const store = () => createStore({ db: open.db, resources })
  const system = () => store().asSystem()

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
    for (const name of ['Four', 'Nine']) {
      const { id } = await system().org.create({ name })
      ids.push(id)
      const own = store().asSystem({ tenant: id })
      const topic = await own.topic.create({ name: `topic of ${name}` })
      const tag = await own.tag.create({ name: `tag of ${name}` })
      await own.note.create({
        text: `note of ${name}`,
        lines: [{ text: `line of ${name}` }],
        aboutId: topic.id,
        tags: [{ id: tag.id }],
      })
    }
  })
  afterAll(() => open.close())

  test('says of each record whose it is, by the name of the column', async () => {
    const { rows } = await system().note.list({ sort: ['text'] })
    expect(rows).toMatchObject([
      { org_id: ids[0], text: 'note of Four' },
      { org_id: ids[1], text: 'note of Nine' },
    ])
    expect(Object.keys(rows[0] ?? {}).slice(0, 3)).toEqual(['id', 'org_id', 'text'])
    for (const { lines, tags } of rows) for (const one of [...lines, ...tags]) expect(one).not.toHaveProperty('org_id')
    const atTop = await system().line.list({ sort: ['text'] })
    expect(atTop.rows).toMatchObject([
      { org_id: ids[0], text: 'line of Four' },
      { org_id: ids[1], text: 'line of Nine' },
    ])
  })

  test('says so, whatever is chosen of a record, and from page to page', async () => {
    const first = await system().note.list({ fields: ['about.name'], sort: ['-text'], limit: 1 })
    expect(first.rows).toMatchObject([{ org_id: ids[1], about: { name: 'topic of Nine' } }])
    const second = await system().note.list({
      fields: ['about.name'],
      sort: ['-text'],
      limit: 1,
      after: first.next as string,
    })
    expect(second.rows).toMatchObject([{ org_id: ids[0], about: { name: 'topic of Four' } }])
  })

  test('has it once, where the records show it by a relation', async () => {
    const whole = await system().topic.list({ sort: ['name'] })
    expect(whole.rows).toMatchObject([{ ownerId: ids[0], owner: { name: 'Four' } }, { ownerId: ids[1] }])
    const chosen = await system().topic.list({ sort: ['name'], fields: ['name'] })
    expect(chosen.rows).toMatchObject([{ ownerId: ids[0] }, { ownerId: ids[1] }])
    const asked = await system().topic.list({ sort: ['name'], fields: ['ownerId'] })
    expect(asked.rows).toMatchObject([{ ownerId: ids[0] }, { ownerId: ids[1] }])
    for (const one of [...whole.rows, ...chosen.rows, ...asked.rows]) expect(one).not.toHaveProperty('org_id')
  })

  test('is the only one that says so', async () => {
    const own = store().asSystem({ tenant: ids[0] as Id })
    const { rows } = await own.note.list()
    expect(rows).toHaveLength(1)
    expect(rows[0]).not.toHaveProperty('org_id')
    expect(await own.note.find((rows[0] as { id: string }).id)).not.toHaveProperty('org_id')
  })
})
