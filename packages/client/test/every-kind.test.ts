import { createClient, type ServiceError } from '@fastify-crud/client'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { type AnyClient, callEveryMethod, everyAction, everyKind, KINDS, type Kind } from './every-kind.ts'
import { useService } from './use-service.ts'

const kinds = Object.keys(KINDS) as Kind[]

describeOnBoth('Every method of a client', (database) => {
  const model = everyKind(false)
  const service = useService(database, model, { actions: everyAction(model) as never })

  test.each(kinds)('does what it says with records that have %s as ids', async (kind) => {
    await callEveryMethod(createClient({ url: service.url } as never), kind)
  })
})

const INK = '44444444-4444-7444-8444-444444444444'
const NIB = '99999999-9999-7999-8999-999999999999'

/** A clerk sees few. */
const isLow =
  (kind: string) =>
  ({ eb }: AnyClient) =>
    eb(`${kind}.count`, '<', 5)

interface Asking {
  readonly headers: Readonly<Record<string, unknown>>
}

describeOnBoth('Every method of a client of a tenant', (database) => {
  const model = everyKind(true)
  const rights = kinds.map((kind) => [kind, { boss: true, clerk: { View: isLow(kind) } }])
  const service = useService(database, model, {
    actions: everyAction(model),
    policies: { firm: { View: true }, tag: { boss: true }, ...Object.fromEntries(rights) },
    caller: ({ headers }: Asking) => ({ id: headers['x-role'], roles: [headers['x-role']] }),
    tenant: (_: unknown, { headers }: Asking) => headers['x-firm'],
  } as never)
  const as = (role: string, firm: string): AnyClient =>
    createClient({ url: service.url, headers: { 'x-role': role, 'x-firm': firm } } as never)
  const addFirms = () =>
    service.db
      .insertInto('firm')
      .values([INK, NIB].map((id) => ({ id, name: id.slice(0, 1) })))
      .execute()

  test.each(kinds)('does what it says with its records that have %s as ids, beside those of others', async (kind) => {
    await addFirms()
    const { own } = KINDS[kind]
    const other = as('boss', NIB)[kind]
    const made = await other.create({ ...own(9), name: 'n9' })
    await callEveryMethod(as('boss', INK), kind)
    expect(await other.find(made.id)).toEqual(made)
  })

  test.each(kinds)(
    'sees and changes none of another tenant, or that its role may not, with %s as ids',
    async (kind) => {
      await addFirms()
      const { own } = KINDS[kind]
      const boss = as('boss', INK)[kind]
      const [low, high] = (await boss.createMany([1, 8].map((count) => ({ ...own(count), name: `n${count}`, count }))))
        .rows
      const statusOf = (promise: Promise<unknown>) =>
        promise.then(() => 200).catch(({ status }: ServiceError) => status)
      const tried = async (client: AnyClient, id: unknown) =>
        await Promise.all([
          statusOf(client.find(id)),
          statusOf(client.patch(id, { count: 0 })),
          statusOf(client.delete(id)),
          statusOf(client.act(id, 'touch', { by: 1 })),
          statusOf(client.history(id)),
        ])
      expect(await tried(as('boss', NIB)[kind], low.id)).toEqual([404, 404, 404, 404, 404])
      const clerk = as('clerk', INK)[kind]
      expect(await tried(clerk, low.id)).toEqual([200, 403, 403, 403, 200])
      expect((await tried(clerk, high.id)).filter((status) => status === 200)).toEqual([])
      expect((await clerk.list({ count: 'exact' })).rows.map(({ id }: { id: unknown }) => id)).toEqual([low.id])
      expect((await as('boss', NIB)[kind].list()).count).toBe(0)
      expect((await boss.list({ sort: ['name'], etags: true })).rows).toMatchObject([{ count: 1 }, { count: 8 }])
    },
  )
})
