import { createStore, defineResources, type Id, knows, type Model, needs, ownedBy, owns } from '@fastify-crud/core'
import { createTables, generateMigrations } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { keysOf } from './keys-of.ts'
import { Migrations } from './migrations.ts'
import { useMigrations } from './use-migrations.ts'

const short = Type.String({ maxLength: 50 })

/** A model with every kind of relation and of keys, with and without tenants. */
function shop(ids: 'integer' | 'uuid' | 'text', tenant?: object): Model {
  const id = ids
  const shared = tenant === undefined ? {} : { tenant: false, public: true }
  return defineResources(
    {
      org: { id, fields: { name: short } },
      currency: { id: 'text', fields: { name: short }, ...shared },
      project: {
        id,
        fields: { name: short, rank: Type.Optional(Type.Integer()), isOpen: Type.Boolean() },
        relations: {
          tasks: owns.many('task'),
          cover: owns.one('cover'),
          lines: owns.many('line'),
          currency: needs.one('currency'),
          next: knows.one('project'),
        },
        unique: [['name'], { fields: ['rank'], where: { isOpen: true } }, ['currency', 'isOpen']],
        index: [['rank']],
      },
      cover: { id, fields: { url: short }, relations: { project: ownedBy('project') } },
      task: {
        id,
        fields: { title: short },
        relations: { project: ownedBy('project'), labels: knows.many('label'), notes: owns.many('note') },
        unique: [['project', 'title']],
      },
      note: { id, fields: { text: short }, relations: { task: ownedBy('task') } },
      label: { id, fields: { name: short }, unique: [['name']], index: [['name']] },
      folder: {
        id,
        fields: { name: short },
        relations: { parent: ownedBy('folder', { optional: true }), folders: owns.many('folder') },
      },
      line: {
        id: ['project', 'label'],
        fields: { count: Type.Integer() },
        relations: { project: ownedBy('project'), label: needs.one('label') },
      },
      receipt: { id, fields: { sum: Type.Integer() }, relations: { label: needs.one('label', { unique: true }) } },
    } as never,
    tenant as never,
  ) as Model
}

const tenants = { tenant: { resource: 'org' } }

async function fill(open: OpenDatabase, model: Model): Promise<Id> {
  const store = createStore({ db: open.db, resources: model })
  const given = (key: string, id: string) => (model.resources.get(key)?.id.assignedBy === 'client' ? { id } : {})
  const org = await store.resource('org').create({ ...given('org', 'four'), name: 'Four' })
  await store.resource('currency').create({ id: 'EUR', name: 'Euro' })
  const label = await store.resource('label').create({ ...given('label', 'l1'), name: 'new' })
  await store.resource('project').create({
    ...given('project', 'p1'),
    ...{ name: 'One', rank: 1, isOpen: true, currencyId: 'EUR' },
    tasks: [
      {
        ...given('task', 't1'),
        ...{ title: 'First', labels: [{ id: label.id }], notes: [{ ...given('note', 'n1'), text: 'a' }] },
      },
    ],
    cover: { ...given('cover', 'c1'), url: 'x' },
    lines: [{ labelId: label.id, count: 3 }],
  })
  const inner = { ...given('folder', 'f2'), name: 'inner', folders: [{ ...given('folder', 'f3'), name: 'last' }] }
  await store.resource('folder').create({ ...given('folder', 'f1'), name: 'root', folders: [inner] })
  await store.resource('receipt').create({ ...given('receipt', 'r1'), sum: 3, labelId: label.id })
  return org.id as Id
}

/** All records as the store shows them. */
async function recordsOf({ db }: OpenDatabase, resources: Model, tenant?: Id) {
  const all = createStore({ db, resources })
  const store = tenant === undefined ? all : all.asSystem({ tenant } as never)
  const lists = ['org', 'currency', 'project', 'label', 'folder', 'receipt'].map(async (key) => {
    return (await store.resource(key).list()).rows
  })
  return Promise.all(lists)
}

describeOnBoth('generateMigrations, from a model without tenants to one with,', (setup) => {
  const { database, folder, isThere } = useMigrations(setup)

  for (const ids of ['integer', 'uuid', 'text'] as const) {
    test(`keeps all records, and makes the keys that createTables makes, with ids of the kind ${ids}`, async () => {
      const [from, to] = [shop(ids), shop(ids, tenants)]
      const { db } = database()
      await createTables(db, from)
      const tenant = await fill(database(), from)
      const before = await recordsOf(database(), from)
      const keysBefore = await keysOf(database())
      const { files, byHand, unfilled } = await generateMigrations(db, to, { fill: { orgId: tenant } })
      expect({ byHand, unfilled }).toEqual({ byHand: [], unfilled: [] })
      const migrations = await Migrations.in(database(), folder())
      await migrations.add(files)
      await migrations.up()
      await isThere(to)
      expect(await recordsOf(database(), to, tenant)).toEqual(before)
      const empty = await setup.open()
      await createTables(empty.db, to)
      const wanted = await keysOf(empty)
      await empty.close()
      expect(await keysOf(database())).toEqual(wanted)
      await migrations.down()
      expect(await recordsOf(database(), from)).toEqual(before)
      const keysAgain = (await keysOf(database())).filter((line) => !line.includes('orgId'))
      expect(keysAgain).toEqual(keysBefore)
      await migrations.up()
      await isThere(to)
      expect(await recordsOf(database(), to, tenant)).toEqual(before)
      expect(await keysOf(database())).toEqual(wanted)
    })
  }
})
