import { createStore, type Descriptors, defineResources, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const LENGTH = 30

const descriptors: Record<string, Descriptors[string]> = {}
for (let n = 0; n < LENGTH; n++) {
  descriptors[`r${n}`] = {
    fields: { name: Type.String() },
    relations: {
      ...(n > 0 && { owner: ownedBy(`r${n - 1}`) }),
      ...(n < LENGTH - 1 && { owned: owns.many(`r${n + 1}`) }),
    },
  }
}
const resources = defineResources(descriptors)

type Body = { readonly name: string; readonly owned?: readonly Body[] }

const bodyFrom = (n: number): Body =>
  n === LENGTH - 1 ? { name: `${n}` } : { name: `${n}`, owned: [bodyFrom(n + 1), { name: 'last' }] }

describeOnBoth(`a chain of ${LENGTH} resources that own each other`, (database) => {
  test('is created, read, replaced and deleted in one request each', async () => {
    const open = await database.open()
    await createTables(open.db, resources)
    const store = createStore({ db: open.db, resources }).resource('r0')
    const created = await store.create(bodyFrom(0))
    expect(JSON.stringify(created)).toContain(`"name":"${LENGTH - 1}"`)
    expect(await store.find(created.id)).toEqual(created)
    expect((await store.list()).rows).toEqual([created])
    const renamed = { ...created, name: 'renamed' }
    expect(await store.replace(created.id, renamed)).toEqual(renamed)
    await store.delete(created.id)
    expect((await store.list()).count).toBe(0)
    await open.close()
  })
})
