import { setTimeout as wait } from 'node:timers/promises'
import type { Model } from '@fastify-crud/core'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, buildApp, type TestApp } from '../../support/app.ts'
import { databases, type TestDatabase } from '../../support/databases.ts'
import { sameDatabase } from '../../support/same-database.ts'
import type { Request } from '../../support/servers.ts'
import { movePairs } from './move-pairs.ts'
import { highestIds, outcomeOf } from './outcome.ts'
import { ownedPairs, treePairs } from './owned-pairs.ts'
import type { Pair } from './pair.ts'
import { type Pauses, pausing } from './pausing.ts'
import { knowPairs, needPairs } from './related-pairs.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

/** Two services on one database: one that can be stopped, and another. */
interface Services {
  readonly stopped: TestApp
  readonly pauses: Pauses
  readonly other: TestApp
}

type Outcome = readonly string[]

const pairs: readonly Pair[] = [...ownedPairs, ...treePairs, ...needPairs, ...knowPairs, ...movePairs]

const services = new Map<Model, Services>()
const open: TestApp[] = []

beforeAll(async () => {
  for (const model of new Set(pairs.map((pair) => pair.model))) {
    const first = await buildApp(postgres, model)
    const { kind, pauses } = pausing(first.database)
    const options = { tables: async () => {} }
    const stopped = await buildApp(kind, model, options)
    // It finds deadlocks at once, so that nobody has to wait for that.
    const session = { deadlock_timeout: '10ms' }
    const other = await buildApp(sameDatabase(first.database, { session }), model, options)
    services.set(model, { stopped, pauses, other })
    open.push(first, stopped, other)
  }
})
afterAll(async () => {
  for (const service of open.toReversed()) await service.close()
})

function send(service: TestApp, [method, path, body]: Request): Promise<Answer> {
  return service.request(method, path, body)
}

/** The outcome of one after the other. */
async function inTurn({ model, prepare }: Pair, { other }: Services, isReversed: boolean): Promise<Outcome> {
  const since = await highestIds(other, model)
  const [a, b] = await prepare(other)
  const answers: Answer[] = []
  for (const request of isReversed ? [b, a] : [a, b]) answers.push(await send(other, request))
  return outcomeOf(other, model, since, isReversed ? answers.toReversed() : answers)
}

/**
 * The outcome if one of the requests comes when the other is in front of its n-th statement; undefined if that one has
 * fewer statements.
 */
async function inBetween(
  { model, prepare }: Pair,
  { stopped, pauses, other }: Services,
  isReversed: boolean,
  n: number,
): Promise<Outcome | undefined> {
  const since = await highestIds(other, model)
  const requests = await prepare(other)
  const [outer, inner] = isReversed ? requests.toReversed() : requests
  const stop = pauses.stopBefore(n)
  const first = send(stopped, outer as Request)
  const isStopped = await Promise.race([stop.reached.then(() => true), first.then(() => false)])
  if (!isStopped) {
    stop.go()
    return undefined
  }
  let isDone = false
  const second = send(other, inner as Request).finally(() => {
    isDone = true
  })
  while (!isDone && !(await isSomebodyBlocked(other))) await wait(2)
  stop.go()
  const answers = [await first, await second]
  return outcomeOf(other, model, since, isReversed ? answers.toReversed() : answers)
}

async function isSomebodyBlocked({ db }: TestApp): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`.execute(db)
  return rows.length > 0
}

describe('one request in the middle of another (postgres)', () => {
  for (const pair of pairs) {
    test(`${pair.title}: at each statement, the result is that of one after the other`, async () => {
      const of = services.get(pair.model) as Services
      const allowed = [await inTurn(pair, of, false), await inTurn(pair, of, true)]
      for (const isReversed of [false, true]) {
        let n = 1
        for (; n < 30; n++) {
          const outcome = await inBetween(pair, of, isReversed, n)
          if (outcome === undefined) break
          expect(allowed, `before statement ${n} of the ${isReversed ? 'second' : 'first'}`).toContainEqual(outcome)
        }
        expect(n).toBeGreaterThan(1)
      }
    })
  }
})
