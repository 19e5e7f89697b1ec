import { once } from 'node:events'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { bundledPrograms } from './programs.ts'
import { type PostgresServer, startPostgres } from './start-postgres.ts'

/** Only who made it can enter it: root as a rule, whom PostgreSQL refuses to run as. */
let privateFolder: string
let server: PostgresServer | undefined

beforeEach(async () => {
  privateFolder = await mkdtemp(join(tmpdir(), 'fastify-crud-private-'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await server?.stop()
  server = undefined
  await rm(privateFolder, { recursive: true, force: true })
})

async function ask(url: string, statement: string): Promise<unknown> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query({ text: statement, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await client.end()
  }
}

describe('PostgreSQL starts', () => {
  test('with its programs in a private folder', async () => {
    const programs = join(privateFolder, 'native')
    await cp(bundledPrograms(), programs, { recursive: true, verbatimSymlinks: true })
    server = await startPostgres({ name: 'crud-programs', settings: {}, programs })
    expect(await ask(server.url, 'select 1')).toBe(1)
  })

  test('with a private folder for temporary files', async () => {
    vi.stubEnv('TMPDIR', privateFolder)
    server = await startPostgres({ name: 'crud-tmpdir', settings: {} })
    expect(await ask(server.url, 'select 1')).toBe(1)
  })

  test('with the given settings, and again with what was committed', async () => {
    server = await startPostgres({ name: 'crud-restart', settings: { work_mem: '5MB' } })
    await ask(server.url, 'create table kept as select 7 as n')
    for (const how of ['restart', 'crash'] as const) {
      await server.restart(how)
      expect(await ask(server.url, 'select n from kept')).toBe(7)
    }
    expect(await ask(server.url, 'show work_mem')).toBe('5MB')
  })
})

describe('a start of PostgreSQL that fails says why', () => {
  test('where the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    await expect(startPostgres({ name: 'crud-port', settings: {}, port })).rejects.toThrow(/Address already in use/)
    other.close()
  })

  test('where a setting is wrong, and leaves no files', async () => {
    const settings = { shared_buffers: 'plenty' }
    await expect(startPostgres({ name: 'crud-setting', settings })).rejects.toThrow(/shared_buffers.*plenty/)
    expect((await readdir(tmpdir())).filter((name) => name.startsWith('crud-setting'))).toEqual([])
  })

  test('where its programs are missing', async () => {
    const programs = join(privateFolder, 'nowhere')
    await expect(startPostgres({ name: 'crud-missing', settings: {}, programs })).rejects.toThrow(programs)
  })
})
