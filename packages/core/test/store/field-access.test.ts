import { createStore, defineResources, knows, ownedBy, owns, type Store } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const hr = { View: ['hr'], Edit: ['hr'] }
const optional = { type: ['string', 'null'], default: null } as const
const resources = defineResources({
  person: {
    fields: {
      name: { type: 'string' },
      salary: { type: 'integer', default: 100, access: hr },
      code: { ...optional, access: hr },
      grade: { ...optional, access: { Edit: ['hr'] } },
      note: { ...optional, access: { View: ['hr'] } },
    },
    relations: { boss: knows.one('person'), jobs: owns.many('job') },
    unique: [['name', 'code']],
  },
  badge: { fields: { text: { type: 'string' }, number: { type: 'integer', access: hr } } },
  job: {
    fields: { title: { type: 'string' }, pay: { type: 'integer', default: 1, access: hr } },
    relations: { person: ownedBy('person') },
  },
})

describeOnBoth('Fields that only some callers may see or set, in a store', (database) => {
  let open: OpenDatabase
  let whole: Store<typeof resources>
  let staff: Store<typeof resources>
  let id: number

  beforeEach(async () => {
    open = await database.open()
    await createTables(open.db, resources)
    const store = createStore({ db: open.db, resources, policies: { person: true, badge: true } })
    whole = store.asSystem()
    staff = store.as({ roles: ['staff'] })
    const jobs = [{ title: 't', pay: 9 }]
    id = (await whole.person.create({ name: 'A', salary: 7, code: 'c', grade: 'g', note: 'n', jobs })).id
  })
  afterEach(() => open.close())

  test('shows only what these roles see, in records, lists and summaries', async () => {
    const seen = { id, name: 'A', grade: 'g', bossId: null, boss: null, jobs: [{ id: expect.anything(), title: 't' }] }
    expect(await staff.person.find(id)).toEqual(seen)
    expect(await staff.person.list()).toEqual({ rows: [seen], count: 1 })
    const { boss } = await staff.person.create({ name: 'B', bossId: id })
    expect(boss).toEqual({ id, name: 'A', grade: 'g' })
    expect(await whole.person.find(id)).toMatchObject({ salary: 7, code: 'c', note: 'n', jobs: [{ pay: 9 }] })
  })

  test('creates records with the defaults of what these roles may not set', async () => {
    const created = await staff.person.create({ name: 'B', note: 'm', jobs: [{ title: 'u' }] })
    expect(await whole.person.find(created.id)).toMatchObject({
      salary: 100,
      code: null,
      grade: null,
      note: 'm',
      jobs: [{ title: 'u', pay: 1 }],
    })
  })

  test('PUT of what was read changes nothing, and of another name leaves all else as it is', async () => {
    const read = await staff.person.find(id)
    expect(await staff.person.replace(id, read)).toEqual(read)
    await staff.person.replace(id, { ...read, name: 'B', jobs: read.jobs.map((job) => ({ ...job, title: 'u' })) })
    expect(await whole.person.find(id)).toMatchObject({
      name: 'B',
      salary: 7,
      code: 'c',
      grade: 'g',
      note: 'n',
      jobs: [{ title: 'u', pay: 9 }],
    })
  })

  test('PATCH sets what these roles may only set', async () => {
    const patched = await staff.person.patch(id, { note: 'm' })
    expect(patched).not.toHaveProperty('note')
    expect(await whole.person.find(id)).toMatchObject({ name: 'A', salary: 7, code: 'c', grade: 'g', note: 'm' })
  })

  test('a unique key with a hidden field still holds, and the error does not name the field', async () => {
    const other = await whole.person.create({ name: 'B', code: 'c' })
    const refused = staff.person.patch(other.id, { name: 'A' })
    await expect(refused).rejects.toMatchObject({ code: 'CRUD_ERR_NOT_UNIQUE' })
    await expect(refused).rejects.not.toMatchObject({ message: expect.stringContaining('code') })
  })

  test('an error for the log names a required field that these roles may not set and the database does not give', async () => {
    await expect(staff.badge.create({ text: 'b' })).rejects.toThrow(
      'badge.number has no value: not every caller may set it, so its column needs a default or a trigger',
    )
    expect(await whole.badge.create({ text: 'b', number: 1 })).toMatchObject({ number: 1 })
  })
})
