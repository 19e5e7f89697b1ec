import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomOf } from '../../../../../test/storm/random.ts'
import type { Answer } from '../../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../../test/support/describe-on-databases.ts'
import { ada, headersOf } from '../support/as-caller.ts'
import { randomRequest, withLess } from './random-request.ts'
import { buildTwins, type Twins } from './twins.ts'

// The same ones each time: `UNSEEN_SEEDS=500` tries more of them.
const SEEDS = Number(process.env.UNSEEN_SEEDS ?? 8)
const REQUESTS = 15

/** The only answers by which hidden rows may show: they are in the way of what the request wants. */
const inTheWay = ['CRUD_ERR_EXISTS', 'CRUD_ERR_STILL_NEEDED', 'CRUD_ERR_NOT_UNIQUE']

/** Both write at a time of their own: the times are left out, and the ETag of each record that has one. */
const withoutTimes = (_name: string, value: unknown) => {
  if (value === null || typeof value !== 'object') return value
  const { deletedAt, ...rest } = value as { deletedAt?: unknown; body?: { deletedAt?: unknown } }
  if (typeof deletedAt === 'string') return { ...rest, deletedAt: '' }
  if ('etag' in rest && typeof rest.body?.deletedAt === 'string') return { ...value, etag: '' }
  return value
}

const shownBy = ({ status, body, headers }: Answer) => ({
  status,
  body: JSON.stringify(body, withoutTimes)?.replaceAll(/"write":"[^"]*","at":"[^"]*"/g, ''),
  location: headers.location,
  preference: headers['preference-applied'],
})

describeOnBoth('rows that a caller may not see', (database) => {
  let twins: Twins
  beforeAll(async () => {
    twins = await buildTwins(database)
  })
  afterAll(() => twins.close())

  const headers = headersOf(ada)

  test('change no answer but a 409, and no event: without them, the same requests are answered and told in the same way', async () => {
    let told = 0
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = randomOf(seed)
      const ids = await twins.fill()
      const story: string[] = []
      let isAlike = true
      for (let count = 0; count < REQUESTS; count++) {
        const { method, path, again, body: given, prefer } = randomRequest(random, ids)
        const sent = prefer === undefined ? headers : { ...headers, prefer }
        const before = again ? await twins.without.request('GET', path, undefined, headers) : undefined
        if (before !== undefined && before.status !== 200) continue
        const body = before === undefined ? given : withLess(random, before.body)
        const [answer, expected] = [
          await twins.withHidden.request(method, path, body, sent),
          await twins.without.request(method, path, body, sent),
        ]
        story.push(`${method} ${path} ${JSON.stringify(body)}: ${answer.status}`)
        const told = `seed ${seed}\n${story.join('\n')}`
        expect(answer.status, told).toBeLessThan(500)
        expect(JSON.stringify(answer), told).not.toMatch(/zebra/)
        if (JSON.stringify(shownBy(answer)) === JSON.stringify(shownBy(expected))) continue
        // A policy that refuses a planned row comes ahead of the place that is taken.
        const isTaken = answer.status === 403 && JSON.stringify(body ?? null).includes('"seal"')
        if (!isTaken && !inTheWay.includes(answer.body?.code)) {
          expect(shownBy(answer), told).toEqual(shownBy(expected))
        }
        isAlike = false
        break
      }
      if (!isAlike) continue
      const [events = [], expected] = await twins.told()
      told += events.length
      expect(events, story.join('\n')).toEqual(expected)
      expect(JSON.stringify(events), story.join('\n')).not.toMatch(/zebra/)
    }
    expect(told).toBeGreaterThan(SEEDS / 2)
  })
})
