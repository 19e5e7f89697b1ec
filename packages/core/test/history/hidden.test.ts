import {
  createStore,
  defineResources,
  type GuardedStore,
  knows,
  type Model,
  ownedBy,
  owns,
  type Policies,
} from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  memo: {
    fields: { text: Type.String(), org: Type.Integer(), secret: Type.Optional(Type.String({ writeOnly: true })) },
    relations: { lines: owns.many('line'), about: knows.one('file') },
    history: true,
  },
  line: { fields: { text: Type.String(), isPrivate: Type.Boolean() }, relations: { memo: ownedBy('memo') } },
  file: { fields: { name: Type.String(), org: Type.Integer() }, history: true },
})

interface Caller {
  readonly org: number
  readonly user: string
}

describeOnBoth('The history of records that policies hide', (database) => {
  let open: OpenDatabase
  let store: GuardedStore<typeof resources, Caller>
  beforeEach(async () => {
    open = await database.open()
    await createTables(open.db, resources as Model)
    store = createStore({
      db: open.db,
      resources,
      historyOf: ({ user }) => user,
      policies: {
        memo: ({ eb, my }) => eb('org', '=', my('org')),
        line: { View: ({ eb }) => eb('isPrivate', '=', eb.lit(false)), Add: true, Edit: true, Delete: true },
        file: ({ eb, my }) => eb('org', '=', my('org')),
      } as Policies<typeof resources, Caller>,
    })
  })
  afterEach(() => open.close())
  const ofOne = () => store.as({ org: 1, user: 'ann' })
  const ofTwo = () => store.as({ org: 2, user: 'bob' })

  test('is not there for those who do not see the record', async () => {
    await ofOne().memo.create({ text: 'x', org: 1, lines: [] })
    await expect(ofTwo().memo.history(1)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
    await ofOne().memo.delete(1)
    await expect(ofTwo().memo.history(1)).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_FOUND' })
    expect((await ofOne().memo.history(1)).rows.map(({ operation, by }) => [operation, by])).toEqual([
      ['delete', 'ann'],
      ['create', 'ann'],
    ])
  })

  test('has no state that the reader could not have seen, nor what was hidden below', async () => {
    const system = store.asSystem()
    await system.memo.create({ text: 'of two', org: 2, lines: [] })
    await system.memo.patch(1, {
      org: 1,
      text: 'of one',
      lines: [
        { text: 'a', isPrivate: true },
        { text: 'b', isPrivate: false },
      ],
    })
    const { rows } = await ofOne().memo.history(1)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain('of two')
    expect(rows[0]?.changes).toMatchObject([
      { action: 'Add', resource: 'memo', after: { text: 'of one', org: 1 } },
      { action: 'Add', resource: 'line', id: 2, after: { text: 'b' } },
    ])
  })

  test('leaves out a write that changed only what is hidden, and keeps no values that clients only write', async () => {
    await ofOne().memo.create({ text: 'x', org: 1, secret: 'open sesame', lines: [{ text: 'a', isPrivate: false }] })
    await store.asSystem().memo.owned(1, 'lines').create({ text: 'p', isPrivate: true })
    expect((await ofOne().memo.history(1)).rows.map(({ operation }) => operation)).toEqual(['create'])
    const rows = await open.db.selectFrom('crud_history').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain('sesame')
  })

  test('is not to be undone by those who do not see all of a write', async () => {
    await ofOne().memo.create({ text: 'x', org: 1, lines: [] })
    await store.asSystem().memo.patch(1, { text: 'y', lines: [{ text: 'p', isPrivate: true }] })
    const [entry] = (await ofOne().memo.history(1)).rows
    await expect(ofOne().memo.undo(1, entry?.write ?? '')).rejects.toMatchObject({ code: 'CRUD_ERR_FORBIDDEN' })
    expect((await ofOne().memo.find(1)).text).toBe('y')
  })

  test('is not to be undone where a value is lost that clients only write', async () => {
    await ofOne().memo.create({ text: 'x', org: 1, secret: 'a', lines: [] })
    await ofOne().memo.delete(1)
    const [entry] = (await ofOne().memo.history(1)).rows
    await expect(ofOne().memo.undo(1, entry?.write ?? '')).rejects.toMatchObject({ code: 'CRUD_ERR_CHANGED' })
  })

  test('begins anew with a new record of the same id', async () => {
    const { file } = store.asSystem()
    await file.create({ name: 'a', org: 1 }, { id: 7 })
    await file.delete(7)
    await file.create({ name: 'b', org: 1 }, { id: 7 })
    expect((await ofOne().file.history(7)).rows.map(({ operation }) => operation)).toEqual(['create'])
  })
})
