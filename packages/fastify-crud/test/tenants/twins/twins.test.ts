import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openedSetups, setups } from '../../../../../test/support/databases.ts'
import { isLong } from '../../../../../test/support/is-long.ts'
import { report } from '../../../../../test/support/report.ts'
import { seed } from '../../../../../test/support/seed.ts'
import { FOUR, NINE } from './keys.ts'
import { policies } from './model.ts'
import { type DrawnRequest, drawnRequest } from './requests.ts'
import { openTwin, type SentAnswer, type SentRequest, TENANTS_OF_TWINS, type Twin } from './twin.ts'

/*
 * Random requests of one tenant, sent to two databases that differ in the rows of another tenant only. In one of them, that one sends requests
 * meanwhile. FC_SEED and FC_PATH replay a failure, and FC_RUNS says how many sequences there are.
 */
const { FC_PATH, FC_RUNS } = process.env
const numRuns = Number(FC_RUNS ?? (isLong ? 300 : 6))
/** In ms. To make a failing sequence smaller takes longer than to find it. */
const LIMIT = 30_000 + numRuns * 5_000

const services = (isLong ? setups : openedSetups).flatMap((database) => [
  { title: database.title, database, options: {} },
  {
    title: `policies, ${database.title}`,
    database,
    options: { policies: policies as never, caller: () => ({ id: 1 }) },
  },
])

describe.each(services)('without the rows of another tenant ($title)', ({ title, database, options }) => {
  let twins: readonly Twin[]
  beforeAll(async () => {
    twins = await Promise.all(TENANTS_OF_TWINS.map((tenants) => openTwin(database, tenants, options)))
  })
  afterAll(async () => {
    for (const twin of twins) await twin.close()
  })

  const statuses = new Map<string, number>()
  /** How many events streams have had. */
  let told = 0

  /** Sends the requests to both, and returns what the first difference is; undefined if there is none. */
  async function difference(drawn: readonly DrawnRequest[]): Promise<string | undefined> {
    const [alone, beside] = twins as readonly [Twin, Twin]
    await Promise.all([alone.fill(), beside.fill()])
    const own = new Seen()
    const other = new Seen()
    // What the other tenant was shown, for the requests to try.
    for (const path of [
      '/api/project',
      '/api/project?limit=1',
      '/api/project/a',
      '/api/member?limit=1',
      '/api/label/a',
    ]) {
      const asked = { method: 'GET', url: path, headers: {}, body: undefined }
      other.learn(path, await beside.send(NINE, asked))
    }
    const story: string[] = []
    for (const one of drawn) {
      const request = toRequest(one, own, other)
      const { pathname } = new URL(request.url, 'http://localhost')
      if (one.isOfOther) {
        const answer = await beside.send(NINE, request)
        other.learn(pathname, answer)
        story.push(`(the other one) ${spelled(request)}\n  ${answer.status}`)
        continue
      }
      const [answer, expected] = await Promise.all([beside.send(FOUR, request), alone.send(FOUR, request)])
      story.push(`${spelled(request)}\n  ${answer.status} ${answer.body}`)
      const counted = `${request.method} ${answer.status}`
      statuses.set(counted, (statuses.get(counted) ?? 0) + 1)
      if (JSON.stringify(answer) !== JSON.stringify(expected))
        return `${story.join('\n')}\n${JSON.stringify(answer)}\n\nand without the rows of the other tenant:\n${JSON.stringify(expected)}`
      own.learn(pathname, answer)
    }
    for (const path of FOLLOWED) {
      const [events, expected] = await Promise.all([beside.told(FOUR, path), alone.told(FOUR, path)])
      told += events.length
      if (JSON.stringify(events) !== JSON.stringify(expected))
        return `${story.join('\n')}\n${path}/$changes\n${events.join('\n')}\n\nand without the rows of the other tenant:\n${expected.join('\n')}`
    }
    return undefined
  }

  test(
    'each answer is the same, byte by byte',
    async () => {
      report(`twins, ${title}: FC_SEED=${seed}`)
      const sequence = fc.array(drawnRequest, { minLength: 30, maxLength: 60, size: 'max' })
      const isSame = fc.asyncProperty(sequence, async (drawn) => {
        const found = await difference(drawn)
        if (found !== undefined) throw new Error(found)
      })
      await fc.assert(isSame, {
        seed,
        numRuns,
        interruptAfterTimeLimit: LIMIT,
        ...(FC_PATH !== undefined && { path: FC_PATH }),
      })
      report(
        `twins, ${title}: ${[...statuses]
          .sort()
          .map(([key, count]) => `${key}: ${count}`)
          .join(', ')}`,
      )
      const all = [...statuses.values()].reduce((sum, count) => sum + count, 0)
      const done = [...statuses].filter(([key]) => / 2\d\d$/.test(key)).reduce((sum, [, count]) => sum + count, 0)
      expect(done).toBeGreaterThan(all / 5)
      expect(told).toBeGreaterThan(numRuns)
    },
    LIMIT + 60_000,
  )
})

/** Of whose changes a stream tells. */
const FOLLOWED = ['/api', '/api/project', '/api/project/a', '/api/project/b/task', '/api/label/c']

/** What answers have shown that later requests send back. */
class Seen {
  readonly etags = new Map<string, string>()
  readonly cursors = new Map<string, string>()

  learn(path: string, { status, headers, body }: SentAnswer): void {
    const [collection = ''] = path.split('?')
    if (typeof headers.etag === 'string') this.etags.set(collection, headers.etag)
    const { next } = status === 200 && body.startsWith('{') ? (JSON.parse(body) as { next?: string }) : {}
    if (next !== undefined) this.cursors.set(collection, next)
  }
}

function toRequest(
  { method, path, query, body, match, after, prefer }: DrawnRequest,
  own: Seen,
  other: Seen,
): SentRequest {
  const any = (values: ReadonlyMap<string, string>) => [...values.values()].at(-1)
  const etag = match === 'other' ? (other.etags.get(path) ?? any(other.etags)) : own.etags.get(path)
  const name = match === 'if none' ? 'if-none-match' : 'if-match'
  const next = after === 'none' ? undefined : (after === 'own' ? own : other).cursors.get(path)
  const parts = [query, next === undefined ? '' : `after=${encodeURIComponent(next)}`].filter((part) => part !== '')
  const url = parts.length === 0 ? path : `${path}?${parts.join('&')}`
  const condition = match === 'none' || etag === undefined ? {} : { [name]: etag }
  return { method, url, body, headers: { ...condition, ...(prefer !== undefined && { prefer }) } }
}

function spelled({ method, url, headers, body }: SentRequest): string {
  return `${method} ${url} ${JSON.stringify(headers)} ${JSON.stringify(body) ?? ''}`
}
