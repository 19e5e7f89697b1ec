import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createStore, createTables } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Answer, type TestApp, useApp } from '../support/app.ts'
import type { OpenDatabase } from '../support/databases.ts'
import { describeOnBoth } from '../support/describe-on-databases.ts'
import type { JsonBody } from '../support/json-body.ts'
import { otherWriter } from '../support/other-writer.ts'
import { bank, bankOptions, batchAround, JOURNAL, type Moment } from './bank.ts'

const script = fileURLToPath(new URL('./act-once.ts', import.meta.url))
const NOBODY = 'never'

/** Another process that carries out the action, until a moment that it does not outlive. */
function actElsewhere(
  { database: { name, location } }: TestApp,
  id: unknown,
  last: Moment | typeof NOBODY,
  ...more: string[]
) {
  return fork(script, [name, location, String(id), last, ...more], { execArgv: ['--conditions=source'] })
}

async function gone(child: ChildProcess): Promise<void> {
  const [, signal] = child.exitCode === null && child.signalCode === null ? await once(child, 'exit') : []
  expect(signal ?? child.signalCode).toBe('SIGKILL')
}

describeOnBoth('an action whose process is killed', (database) => {
  const service = useApp(database, bank, {
    plugin: { ...(bankOptions(() => {}) as object), batch: true, caller: () => ({ id: 'ada' }) },
    async tables({ db }: OpenDatabase) {
      await createTables(db, bank)
      await sql.raw(JOURNAL).execute(db)
    },
  })
  let id: number
  beforeEach(async () => {
    id = (await service.add('/api/account', { amount: 10 })).id
  })

  /** Fails unless all that an action writes is there as often. */
  async function expectDone(times: number): Promise<void> {
    const { amount, notes, entries } = await service.read(`/api/account/${id}`)
    const { rows } = await sql`select amount from journal`.execute(service.db)
    expect([amount - 10, notes, entries.length, rows.length]).toEqual([5 * times, times, times, times])
  }
  const depositAgain = (key = 'k'): Promise<Answer> =>
    service.request('POST', `/api/account/${id}/$act/deposit`, { amount: 5 }, { 'idempotency-key': key })

  test.each(['in run', 'before the commit'] as const)(
    '%s has done nothing, and is done if sent again',
    async (last) => {
      await gone(actElsewhere(service, id, last))
      expect((await depositAgain()).status).toBe(200)
      await expectDone(1)
      expect((await depositAgain('other')).status).toBe(200)
      await expectDone(2)
    },
  )

  test('behind the commit has done all, and is not done again if it is sent again with its key', async () => {
    await gone(actElsewhere(service, id, 'after the commit'))
    await expectDone(1)
    expect(await depositAgain()).toMatchObject({ status: 200, body: { amount: 15 } })
    await expectDone(1)
  })

  test('leaves no lock: the same action of the store, without a key, is not kept waiting', async () => {
    const { actions, rules } = bankOptions(() => {})
    const store = createStore({ db: service.db, resources: bank, actions, rules })
    for (const last of ['in run', 'before the commit'] as const) await gone(actElsewhere(service, id, last))
    await Promise.all([1, 2, 3].map(() => store.account.act(id, 'deposit', { amount: 5 })))
    await expectDone(3)
  })

  test('with others that have the same key or keys of their own is done once for each key', async () => {
    const moments = ['in run', NOBODY, 'after the commit', 'before the commit'] as const
    const children = moments.map((last) => actElsewhere(service, id, last))
    const ended = children.map((child) => once(child, 'exit'))
    const others = await Promise.all(['a', 'b', 'c'].map(depositAgain))
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200])
    await Promise.all(ended)
    // The processes share a key: one of them did it, or none.
    expect((await depositAgain()).status).toBe(200)
    await expectDone(4)
  })

  test('in a batch has done nothing with the other requests, or all with them, and once for the key of the batch', async () => {
    const others = async () => {
      const { rows } = await service.read('/api/account')
      return rows.flatMap((one: JsonBody) => (one.id === id ? [] : [[one.amount, one.entries.length]]))
    }
    const sendAgain = () =>
      service.request('POST', '/api/$batch', batchAround(`/account/${id}/$act/deposit`), { 'idempotency-key': 'k' })
    for (const last of ['in run', 'before the commit'] as const) {
      await gone(actElsewhere(service, id, last, 'batch'))
      await expectDone(0)
      expect(await others()).toEqual([])
    }
    await gone(actElsewhere(service, id, 'after the commit', 'batch'))
    await expectDone(1)
    expect(await others()).toEqual([[1, 1]])
    expect((await sendAgain()).status).toBe(200)
    await expectDone(1)
    expect(await others()).toEqual([[1, 1]])
  })

  if (database.name === 'sqlite') return

  describe('while the database commits', () => {
    /** Every commit waits until a lock is free. */
    beforeAll(async () => {
      for (const statement of [
        `create function wait() returns trigger language plpgsql as
          $$ begin perform pg_advisory_xact_lock_shared(7); return new; end $$`,
        `create constraint trigger wait after insert on journal deferrable initially deferred
          for each row execute function wait()`,
      ]) {
        await sql.raw(statement).execute(service.db)
      }
    })

    const waiting = sql`select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`

    test('has done all, and its repeat waits for it', async () => {
      const holder = await otherWriter(service.database)
      await holder.run('select pg_advisory_xact_lock(7)')
      const child = actElsewhere(service, id, NOBODY)
      await once(child, 'message')
      await holder.untilAwaited()
      child.kill('SIGKILL')
      await gone(child)
      const again = depositAgain()
      await expect.poll(async () => (await waiting.execute(service.db)).rows).toHaveLength(2)
      await holder.end('commit')
      expect(await again).toMatchObject({ status: 200, body: { amount: 15 } })
      await expectDone(1)
    })
  })
})
