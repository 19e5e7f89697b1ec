import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { headersOf } from './support/as-caller.ts'
import { useOffices } from './support/use-offices.ts'

const users = Array.from({ length: 10 }, (_, index) => 100 + index)

describeOnBoth('requests of many callers at the same time', (database) => {
  const { service, rows } = useOffices(database)
  let path: string
  beforeEach(() => {
    path = `/api/invoice/${rows.invoice.second.id}`
  })

  test('each see and write what is theirs, on one record', async () => {
    const answers = await Promise.all(
      [1, 2, 3].flatMap((round) =>
        users.map(async (user) => {
          const body = { notes: [{ text: `${user} ${round}`, authorId: user }] }
          return { user, answer: await service.request('PATCH', path, body, headersOf({ user, org: 1 })) }
        }),
      ),
    )
    for (const { user, answer } of answers) {
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      expect(new Set(answer.body.notes.map(({ authorId }: JsonBody) => authorId))).toEqual(new Set([user]))
    }
    const stored = await rows.all.invoice.find(rows.invoice.second.id)
    expect(stored.notes).toHaveLength(3 * users.length)
  })

  test('each see what is theirs, in lists and by id', async () => {
    const ids = new Map<number, number>()
    for (const org of users) {
      ids.set(org, (await rows.all.customer.create({ name: `of ${org}`, orgId: org })).id)
    }
    const answers = await Promise.all(
      [1, 2, 3].flatMap(() =>
        users.map(async (org, index) => {
          const headers = headersOf({ user: 1, org })
          const next = ids.get(users[(index + 1) % users.length] ?? 0)
          const [list, own, others] = await Promise.all([
            service.request('GET', '/api/customer', undefined, headers),
            service.request('PATCH', `/api/customer/${ids.get(org)}`, { code: `${org}` }, headers),
            service.request('PATCH', `/api/customer/${next}`, { code: 'x' }, headers),
          ])
          return { org, list, own, others }
        }),
      ),
    )
    for (const { org, list, own, others } of answers) {
      expect(list.body.rows.map(({ name }: JsonBody) => name)).toEqual([`of ${org}`])
      expect([own.status, own.body.code]).toEqual([200, `${org}`])
      expect(others.status).toBe(404)
    }
  })
})
