import { Type } from '@sinclair/typebox'
import { createTables, dbDefault, defineResources } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { errorLog } from '../../../../test/support/error-log.ts'
import { asCaller, caller, type Policies } from '../policies/support/as-caller.ts'
import { createTablesWithDefaults, defaults } from './support/defaults.ts'
import { createFilledTables, filled } from './support/filled.ts'

describeOnBoth('a value for a generated column', (database) => {
  const service = useApp(database, defaults, { tables: createTablesWithDefaults })
  const invalid = { code: 'CRUD_ERR_INVALID' } as const

  test('is refused where the body has it, on every way of writing', async () => {
    const { id, parts } = await service.add('/api/parcel', { name: 'p', parts: [{ name: 'a', weight: 4 }] })
    const [part] = parts
    const wrong = { name: 'b', weight: 1, double: 3 }
    const pointers = ['/parts/1']
    await service.refuse(
      'POST',
      '/api/parcel',
      { name: 'p', parts: [{ name: 'a', weight: 1 }, wrong] },
      { ...invalid, pointers },
    )
    await service.refuse('PATCH', `/api/parcel/${id}/part/${part.id}`, { double: 9 }, { ...invalid, pointers: [''] })
    await service.refuse('PUT', `/api/parcel/${id}/part/${part.id}`, wrong, { ...invalid, pointers: [''] })
    await service.refuse(
      'PATCH',
      `/api/parcel/${id}`,
      { parts: [{ id: part.id, double: 9 }] },
      { ...invalid, pointers: ['/parts/0'] },
    )
    await service.refuse('POST', `/api/parcel/${id}/part`, wrong, { ...invalid, pointers: [''] })
  })

  test('is ignored if it is the one that is there', async () => {
    const { id, parts } = await service.add('/api/parcel', { name: 'p', parts: [{ name: 'a', weight: 4 }] })
    const path = `/api/parcel/${id}/part/${parts[0].id}`
    expect(await service.put(path, { ...parts[0], weight: 5 })).toMatchObject({ status: 200, body: { double: 10 } })
  })
})

describeOnBoth('a column that lacks the default which its field counts on', (database) => {
  const { lines, fastify } = errorLog()
  const model = defineResources({ note: { fields: { text: Type.String(), at: Type.String({ default: dbDefault }) } } })
  const service = useApp(database, model, { tables: ({ db }) => createTables(db, model), fastify })

  test('makes a POST without a value 500, and the log names the field', async () => {
    await service.refuse('POST', '/api/note', { text: 'a' }, { code: 'CRUD_ERR_INTERNAL' })
    expect(lines.join()).toContain('note.at has no value: it has dbDefault, so its column needs a default or a trigger')
    await service.add('/api/note', { text: 'a', at: 'noon' })
  })
})

describeOnBoth('policies and what the database gives new rows', (database) => {
  const isCalm: Policies[string] = ({ eb }) => eb('mood', '=', 'calm')
  const policies: Policies = {
    node: { View: true, Add: isCalm, Edit: isCalm, Delete: true },
    leaf: { View: true, Add: ({ eb }) => eb('color', '=', 'green'), Edit: true, Delete: true },
    token: true,
  }
  const service = useApp(database, filled, { plugin: { caller, policies }, tables: createFilledTables })
  const ada = asCaller(service, { user: 1, org: 1 })
  beforeEach(async () => {
    await sql`insert into node (name, code) values ('taken', 'x')`.execute(service.db)
  })

  test('look at the row that is stored', async () => {
    expect(await ada.post('/api/node', { name: 'n', leaf: { name: 'l' } })).toMatchObject({
      status: 201,
      body: { mood: 'calm', leaf: { color: 'green' } },
    })
    await ada.refuse('POST', '/api/node', { name: 'n', mood: 'wild' }, { code: 'CRUD_ERR_FORBIDDEN' })
    const body = { name: 'n', leaf: { name: 'l', color: 'red' } }
    await ada.refuse('POST', '/api/node', body, { code: 'CRUD_ERR_FORBIDDEN' })
  })

  test('look at several rows of which the database fills some', async () => {
    const nodes = [{ name: 'a' }, { name: 'b', rank: 1 }, { name: 'c' }, { name: 'd', mood: 'calm' }]
    expect((await ada.post('/api/node', { name: 'n', nodes })).status).toBe(201)
    const wild = [...nodes, { name: 'e', mood: 'wild' }]
    await ada.refuse('POST', '/api/node', { name: 'n', nodes: wild }, { code: 'CRUD_ERR_FORBIDDEN' })
  })

  test('say nothing of a planned row whose value nobody knows yet: a conflict stays a conflict', async () => {
    await ada.refuse('POST', '/api/node', { name: 'n', code: 'x' }, { code: 'CRUD_ERR_NOT_UNIQUE' })
    await ada.refuse('POST', '/api/node', { name: 'n', code: 'x', mood: 'calm' }, { code: 'CRUD_ERR_NOT_UNIQUE' })
    await ada.refuse('POST', '/api/node', { name: 'n', code: 'x', mood: 'wild' }, { code: 'CRUD_ERR_FORBIDDEN' })
  })
})
