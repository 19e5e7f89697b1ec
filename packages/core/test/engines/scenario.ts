import { createStore, defineResources, knows, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import type { TestKysely } from '../../../../test/support/tables.ts'

const name = Type.String()

export const resources = defineResources({
  label: { fields: { name } },
  owner: {
    fields: { name, note: Type.Optional(Type.String()) },
    relations: { items: owns.many('item'), labels: knows.many('label') },
    unique: [['name']],
  },
  item: {
    fields: { name, rank: Type.Optional(Type.Integer()) },
    relations: { owner: ownedBy('owner'), parts: owns.many('part') },
  },
  part: { fields: { name }, relations: { item: ownedBy('item') } },
})

/** Creates the tables, and writes in every way that an engine may have something to say about. Resolves to all answers. */
export async function useEverything(db: TestKysely): Promise<readonly unknown[]> {
  await createTables(db, resources)
  const store = createStore({ db, resources })
  const answers: unknown[] = []
  const note = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    answers.push(await answer.catch(({ code, errors }) => ({ code, errors })))
    return await answer
  }
  const label = await note(store.label.create({ name: 'red' }))
  const owner = await note(store.owner.create({ name: 'o', items: [{ name: 'a' }], labels: [{ id: label.id }] }))
  const parts = [{ name: 'p' }, { name: 'q' }]
  await note(
    store.owner.replace(owner.id, {
      name: 'o',
      items: [
        { name: 'b', parts },
        { name: 'c', parts },
      ],
    }),
  )
  await note(store.owner.patch(owner.id, { note: 'n' }))
  await note(store.owner.patch(owner.id, { note: 'n' }))
  await note(store.owner.owned(owner.id, 'items').create({ name: 'd', parts: [{ name: 'r' }] }))
  for (const id of [20, 2_000]) {
    await note(store.owner.create({ name: `chosen ${id}` }, { id }))
    await note(store.owner.create({ name: `behind ${id}` }))
  }
  await note(store.owner.create({ name: 'o' })).catch(() => {})
  await note(store.owner.replace(owner.id, { name: 'chosen 20' })).catch(() => {})
  await note(store.owner.patch(owner.id, { name: 'tried' }, { dryRun: true }))
  const guarded = createStore({
    db,
    resources,
    policies: {
      label: true,
      owner: { View: true, Add: ({ eb }) => eb('name', '!=', 'bad'), Edit: true, Delete: true },
      item: { View: true, Add: ({ eb }) => eb('name', '!=', 'bad'), Edit: true, Delete: true },
      part: true,
    },
  }).as({ id: 1 })
  await note(guarded.owner.create({ name: 'guarded', items: [{ name: 'e' }, { name: 'f' }] }))
  await note(guarded.owner.create({ name: 'bad' })).catch(() => {})
  await note(guarded.owner.create({ name: 'good', items: [{ name: 'e' }, { name: 'bad' }] })).catch(() => {})
  await note(store.label.delete(label.id))
  await note(store.owner.delete(owner.id))
  await note(store.owner.list())
  return answers
}
