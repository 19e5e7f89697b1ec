import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient, ServiceError } from '@fastify-crud/client'
import { createStore } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { isLong } from '../../../../test/support/is-long.ts'
import { seed } from '../../../../test/support/seed.ts'
import { randomFrom } from '../../../core/test/changes/support/random-from.ts'
import { type memoActions, memos } from './storm-model.ts'

const WRITES = isLong ? 3_000 : 60
const CLIENTS = 4
const SERVICES = 2

const PROGRAM = fileURLToPath(new URL('./storm-service.ts', import.meta.url))

/** What a client knows of a write: it was done, it was refused, or nobody knows. */
type Outcome = 'done' | 'refused' | 'unknown'

interface Write {
  readonly kind: 'create' | 'patch' | 'act' | 'delete'
  /** A text that no other write has. */
  readonly token: string
  /** The memo; of a `create`, only if it is known to be done. */
  id: number | undefined
  outcome: Outcome
}

describeServersOnDatabases(`The writes of clients whose services are killed (seed ${seed})`, (database) => {
  const random = randomFrom(seed)
  const services = Array.from({ length: SERVICES }, () => ({
    process: undefined as ChildProcess | undefined,
    port: 0,
    /** So many requests until it is killed. */
    left: 0,
    starting: Promise.resolve(),
  }))
  let open: OpenDatabase
  let kills = 0
  let isOver = false

  const start = async (service: (typeof services)[number]): Promise<void> => {
    const child = fork(PROGRAM, [open.name, open.location], { execArgv: ['--conditions=source'] })
    service.process = child
    service.left = 5 + random(isLong ? 60 : 25)
    const died = once(child, 'exit').then(() => {
      if (!isOver && child.signalCode === null) throw new Error(`a service has ended with ${child.exitCode}`)
    })
    const [port] = await Promise.race([once(child, 'message'), died.then(() => [0])])
    service.port = Number(port)
  }

  const kill = async ({ process: child }: (typeof services)[number]): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  /** One try goes to one service, as behind a balancer that knows of most deaths, and may be its last. */
  const send: typeof fetch = async (path, init) => {
    const isBlind = random(6) === 0
    if (!isBlind) await Promise.any(services.map(({ starting }) => starting))
    const living = services.filter(({ left }) => left > 0)
    const among = living.length === 0 || isBlind ? services : living
    const service = among[random(among.length)] as (typeof services)[number]
    const answer = fetch(`http://127.0.0.1:${service.port}${path}`, init)
    service.left -= 1
    if (service.left === 0 && !isOver) {
      kills += 1
      const isDead = pause(random(12)).then(() => kill(service))
      service.starting = isDead.then(() => (isOver ? undefined : start(service)))
    }
    const answered = await answer
    if (random(8) === 0) throw new TypeError('the answer was lost')
    return answered
  }

  beforeEach(async () => {
    open = await database.open({ kept: true })
    await createTables(open.db, memos)
    isOver = false
    await Promise.all(services.map((service) => start(service)))
  })
  afterEach(async () => {
    isOver = true
    await Promise.all(services.map(kill))
    await open.close()
  })

  test('are there once where they are done, and never twice nor by half', async () => {
    const writes: Write[] = []
    const api = createClient<typeof memos, typeof memoActions>({ url: '/api', fetch: send })
    const linesOf = (token: string) => [{ text: `${token} 1` }, { text: `${token} 2` }]

    const run = async ({ kind, token, id }: Write): Promise<number | undefined> => {
      if (kind === 'create') return (await api.memo.create({ text: token, lines: linesOf(token) })).id
      if (id === undefined) throw new Error('it is of a memo that is there')
      if (kind === 'patch') await api.memo.patch(id, { count: { $add: 1 }, lines: linesOf(token) })
      else if (kind === 'delete') await api.memo.delete(id)
      else expect(await api.memo.act(id, 'note', { text: token })).toEqual({ noted: token })
      return id
    }

    const client = async (name: number): Promise<void> => {
      const own: number[] = []
      while (writes.length < WRITES) {
        const index = random(own.length)
        const dice = random(10)
        const kind = own.length === 0 || dice < 3 ? 'create' : dice < 6 ? 'patch' : dice < 9 ? 'act' : 'delete'
        const id = kind === 'create' ? undefined : own[index]
        const write: Write = { kind, token: `${name}-${writes.length}`, id, outcome: 'unknown' }
        writes.push(write)
        if (kind === 'delete') own.splice(index, 1)
        try {
          write.id = await run(write)
          write.outcome = 'done'
          if (kind === 'create') own.push(write.id as number)
        } catch (error) {
          // Whether an earlier try was done, its last one does not say.
          const isRefused = error instanceof ServiceError && error.status < 500
          if (!(isRefused || error instanceof ServiceError || error instanceof TypeError)) throw error
          if (isRefused) write.outcome = 'refused'
        }
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, (_, name) => client(name)))
    isOver = true
    await Promise.all(services.map(kill))

    const store = createStore({ db: open.db, resources: memos })
    const stored = []
    for (let offset = 0, more = true; more; offset += 100) {
      const { rows } = await store.memo.list({ limit: 100, offset })
      stored.push(...rows)
      more = rows.length === 100
    }
    const problems: string[] = []
    const orphans = await open.db
      .selectFrom('line')
      .select('text')
      .where(
        'memoId',
        'not in',
        stored.map(({ id }) => id),
      )
      .execute()
    if (orphans.length > 0) problems.push(`lines without a memo: ${orphans.map(({ text }) => text).join(', ')}`)
    const gone = new Set(
      writes.filter(({ kind, outcome }) => kind === 'delete' && outcome === 'done').map(({ id }) => id),
    )
    for (const { kind, token, id, outcome } of writes) {
      const isGone = !stored.some((memo) => memo.id === id)
      const holders = stored.filter((memo) => (kind === 'create' ? memo.text === token : memo.id === id))
      const texts = holders
        .flatMap(({ lines }) => lines.map(({ text }) => text))
        .filter((text) => text.startsWith(`${token} `))
      const times = kind === 'delete' ? Number(isGone) : kind === 'create' ? holders.length : texts.length / 2
      const isLost =
        kind !== 'delete' && isGone && (gone.has(id) || writes.some((one) => one.kind === 'delete' && one.id === id))
      const expected = outcome === 'done' ? [1] : outcome === 'refused' ? [0] : [0, 1]
      if (!isLost && !expected.includes(times)) problems.push(`${kind} ${token} of ${id}, ${outcome}: ${times} times`)
      if (kind === 'create' && texts.length !== 2 * holders.length) problems.push(`${token} is there by half`)
    }
    for (const memo of stored) {
      const others = memo.lines.length / 2 - 1
      if (memo.count !== others) problems.push(`${memo.text} was counted ${memo.count} times, and has ${others} writes`)
    }
    expect(problems).toEqual([])
    const done = writes.filter(({ outcome }) => outcome === 'done').length
    expect([kills > 1, done > WRITES / 2]).toEqual([true, true])
  }, 600_000)
})
