import { createStore, createTables } from 'fastify-crud'
import { expect, onTestFinished, test } from 'vitest'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import { allKinds, modelOf } from './kinds.ts'

/** Other spellings of an id that a caller may have. */
function spellingsOf(id: string | number): readonly unknown[] {
  if (typeof id === 'number') return [id, BigInt(id)]
  if (/^\d+$/.test(id)) return [id, BigInt(id)]
  return /^[0-9a-f-]{36}$/.test(id) ? [id, id.toUpperCase()] : [id]
}

for (const { title, id, next } of allKinds()) {
  describeOnBoth(`policies about ids: ${title}`, (database) => {
    test('compare them with values of the caller, and ask about other records by them', async () => {
      const open = await database.open()
      onTestFinished(() => open.close())
      const resources = modelOf(id)
      await createTables(open.db, resources)
      const guarded = createStore({
        db: open.db,
        resources,
        policies: {
          customer: ({ eb, my }) => eb('id', '=', my('id')),
          order: ({ eb, can }) => can('View', 'customer', eb.ref('customerId') as never),
          tag: true,
          node: true,
        },
      })
      const system = guarded.asSystem()
      const named = (name: string) => ({ ...(next && { id: next() }), name })
      const [mine, theirs] = [
        await system.resource('customer').create(named('mine')),
        await system.resource('customer').create(named('theirs')),
      ]
      for (const { id: customerId } of [mine, theirs]) {
        const body = { ...named(String(customerId)), customerId, lines: [named('l')] }
        await system.resource('order').create(body as never)
      }
      for (const spelled of spellingsOf(mine.id)) {
        const store = guarded.as({ id: spelled, roles: [] })
        expect((await store.resource('customer').list()).rows).toMatchObject([{ name: 'mine' }])
        const { rows } = await store.resource('order').list()
        expect(rows).toMatchObject([{ customerId: mine.id }])
        const changed = await store.resource('order').patch(rows[0]?.id as never, { lines: [named('m')] } as never)
        expect(changed).toMatchObject({ customerId: mine.id })
        const other = store.resource('order').create({ ...named('x'), customerId: theirs.id } as never)
        await expect(other).rejects.toMatchObject({ code: 'CRUD_ERR_UNKNOWN_REFERENCE' })
      }
      for (const nobody of [undefined, null, true, {}, 1.5]) {
        expect((await guarded.as({ id: nobody, roles: [] }).resource('order').list()).rows).toEqual([])
      }
    })
  })
}
