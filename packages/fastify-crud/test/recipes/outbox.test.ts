import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Model, readOutbox } from '@fastify-crud/core'
import { createTables } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { crudOf } from '../rules/support/crud-of.ts'
import { drainOutbox } from '../rules/support/drain-outbox.ts'
import { addDeep, waysToChange } from './support/deep-record.ts'
import { deepened } from './support/deepened.ts'
import { recipeOf } from './support/recipe.ts'

const { resources, rules, tables } = await recipeOf('An outbox, and its worker')
const deep = deepened(resources, 'signup')
const worker = fileURLToPath(new URL('../rules/support/outbox-worker.ts', import.meta.url))

const makeTables = async ({ db }: OpenDatabase): Promise<void> => {
  await createTables(db, deep)
  await createTables(db, tables as Model)
}

describeOnBoth('the recipe of an outbox', (database) => {
  const service = useApp(database, deep, { plugin: { rules }, tables: makeTables })
  let kept: string[]
  beforeEach(() => {
    kept = []
  })

  /** Adds a signup in one of several ways; what it resolves to is done. */
  async function addSome(): Promise<void> {
    const add = async (email: string, adding: Promise<unknown>) => {
      await adding
      kept.push(email)
    }
    const floor = (email: string) => ({ rooms: [{ shelves: [{ items: [{ email }] }] }] })
    await add('a@x.example', service.add('/api/floor', floor('a@x.example')))
    await add('b@x.example', crudOf(service).resource('floor').create(floor('b@x.example')))
    const inTransaction = service.db.transaction().execute((transaction) => {
      return crudOf(service).in(transaction).resource('floor').create(floor('c@x.example'))
    })
    await add('c@x.example', inTransaction)
    await service.request('POST', '/api/floor', floor('never@x.example'), { prefer: 'tx=rollback' })
  }

  test('has all changes, by whichever way, and none of what is undone', async () => {
    await addSome()
    const deepOne = await addDeep(service.request, 'signup', { email: 'd@x.example' })
    let count = 0
    for (const { by, go } of waysToChange(service, deepOne, { email: 'e@x.example' })) {
      await service.patch(deepOne.path, { email: `${count++}@x.example` })
      expect((await go()).status, by).toBe(200)
    }
    await service.delete(deepOne.floorPath)
    const changes = (await drainOutbox(service.db)).flat()
    const added = changes.filter(({ action }) => action === 'Add').map(({ after }) => after.email)
    expect(added).toEqual([...kept, 'd@x.example'])
    expect(changes.filter(({ action }) => action === 'Edit')).toHaveLength(2 * count)
    expect(changes.at(-1)).toMatchObject({ action: 'Delete', recordId: deepOne.record.id, after: null })
    expect(await drainOutbox(service.db)).toEqual([])
  })

  test('loses nothing when workers are killed, one after the other, while others write', async () => {
    await addSome()
    for (let round = 0; round < 2; round++) {
      const killed = startWorker(service)
      await taken(killed)
      await addSome()
      await kill(killed)
    }
    // PostgreSQL lets go of the rows as soon as it has seen that the worker is gone.
    const emails: string[] = []
    for (let tries = 0; tries < 1000 && emails.length < kept.length; tries++) {
      if (tries > 0) await wait(10)
      emails.push(...(await drainOutbox(service.db)).flat().map(({ after }) => after.email))
    }
    expect(emails.sort()).toEqual(kept.sort())
  })

  test('gives the same rows again after work that fails', async () => {
    await addSome()
    const failing = readOutbox(service.db, 'outbox', async () => Promise.reject(new Error('no mail today')))
    await expect(failing).rejects.toThrow('no mail today')
    expect((await drainOutbox(service.db)).flat().map(({ after }) => after.email)).toEqual(kept)
  })
})

function startWorker({ database: { name, location } }: TestApp): ChildProcess {
  return fork(worker, [name, location], { execArgv: ['--conditions=source'] })
}

/** Resolves when the worker has taken rows. It never gets done with them. */
async function taken(child: ChildProcess): Promise<void> {
  const [count] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => ['ended'])])
  expect(count).toBeGreaterThan(0)
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = child.exitCode === null ? once(child, 'exit') : undefined
  child.kill('SIGKILL')
  await gone
}
