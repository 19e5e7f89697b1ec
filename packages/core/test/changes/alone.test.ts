import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createStore } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { expect, test } from 'vitest'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { memos, memosModel } from './support/memos.ts'

const program = fileURLToPath(new URL('./support/alone.ts', import.meta.url))

describeServersOnDatabases('A program that only follows changes', (database) => {
  test('goes on while nothing happens', async () => {
    const { db, name, location, close } = await database.open({ kept: true })
    await createTables(db, memosModel)
    const child = spawn(process.execPath, ['--conditions=source', program, name, location], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const ended = once(child, 'exit')
    while (!said.includes('follows')) await pause(10)
    await pause(300)
    await createStore({ db, resources: memos }).memo.create({ text: 'new', lines: [] })
    expect(await ended).toEqual([0, null])
    expect(said).toBe('follows\ncreate\n')
    await close()
  })
})
