import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readChanges } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { isLong } from '../../../../test/support/is-long.ts'
import { seed } from '../../../../test/support/seed.ts'
import { memosModel } from './support/memos.ts'
import { randomFrom } from './support/random-from.ts'

/** Writes until all is stopped. */
const WRITES = isLong ? 5_000 : 100
const WRITERS = 3

const programOf = (name: string) => fileURLToPath(new URL(`./support/${name}.ts`, import.meta.url))

describeServersOnDatabases(`Changes, while writers and readers are killed (seed ${seed})`, (database) => {
  let open: OpenDatabase
  const children = new Set<ChildProcess>()
  const random = randomFrom(seed)
  beforeEach(async () => {
    open = await database.open({ kept: true })
    await createTables(open.db, memosModel)
  })
  afterEach(async () => {
    await Promise.all([...children].map(kill))
    await open.close()
  })

  function start(name: string, ...args: readonly string[]): ChildProcess {
    const child = fork(programOf(name), [open.name, open.location, ...args], { execArgv: ['--conditions=source'] })
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }

  async function kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  /** Waits for so many messages of a program, or until no more are wanted. */
  async function messages(child: ChildProcess, count: number, isDone: () => boolean): Promise<void> {
    let left = count
    child.on('message', () => (left -= 1))
    while (left > 0 && !isDone()) {
      if (child.exitCode !== null) throw new Error(`a program has ended with ${child.exitCode}`)
      await pause(20)
    }
  }

  const stored = async () => {
    const rows = await open.db.selectFrom('crud_history').select('position').orderBy('position').execute()
    return rows.map(({ position }) => Number(position))
  }

  test(
    'each committed write reaches every reader once, in the order of positions, and nothing else does',
    async () => {
      let isOver = false
      const writing = Array.from({ length: WRITERS }, async (_, index) => {
        for (let life = 0; !isOver; life += 1) {
          const writer = start('writer', String(seed + 100 * index + life))
          await messages(writer, 5 + random(30), () => isOver)
          await pause(random(20))
          await kill(writer)
        }
      })

      /** Reads on and on, ends, and goes on where it was. `end`: the last position, once that is known. */
      const end = { position: Number.POSITIVE_INFINITY }
      const inProcess = Array.from({ length: 3 }, async () => {
        const got: number[] = []
        while ((got.at(-1) ?? 0) < end.position) {
          const ends = new AbortController()
          const timer = setTimeout(() => ends.abort(), 20 + random(300))
          let left = 1 + random(40)
          const after = got.at(-1) ?? 0
          for await (const { position } of readChanges(open.db, memosModel, { after, signal: ends.signal, poll: 20 })) {
            got.push(position)
            left -= 1
            if (left === 0 || position >= end.position) break
            if (random(10) === 0) await pause(random(20))
          }
          clearTimeout(timer)
        }
        return got
      })
      const inProcesses = (async () => {
        const got: number[] = []
        while ((got.at(-1) ?? 0) < end.position) {
          const reader = start('reader', String(got.at(-1) ?? 0))
          reader.on('message', (position) => got.push(Number(position)))
          await messages(reader, 1 + random(100), () => (got.at(-1) ?? 0) >= end.position)
          await kill(reader)
        }
        return got
      })()

      const enough = (async () => {
        while (!isOver && (await stored()).length < WRITES) await pause(50)
      })()
      await Promise.race([enough, ...writing])
      isOver = true
      await Promise.all(writing)
      // The server of PostgreSQL may still be about to undo what those have left that were killed.
      const all = await stored()
      end.position = all.at(-1) as number
      const readers = await Promise.all([...inProcess, inProcesses])
      const expected = (await stored()).filter((position) => position <= end.position)
      for (const got of readers) expect(got.filter((position) => position <= end.position)).toEqual(expected)
    },
    isLong ? 600_000 : 120_000,
  )
})
