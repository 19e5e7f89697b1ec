import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { buildApp, type TestApp, useApp } from '../support/app.ts'
import { setups } from '../support/databases.ts'
import { otherWriter } from '../support/other-writer.ts'
import { type ConnectionOptions, sameDatabase } from '../support/same-database.ts'
import { owned } from './models.ts'

const OTHER_WRITES = /other writes/

describe.each(setups.filter(({ name }) => name === 'postgres'))('503 says why ($title)', (database) => {
  const admin = useApp(database, owned)

  async function serviceWith(options: ConnectionOptions, location = admin.database.location): Promise<TestApp> {
    const opened = sameDatabase({ ...admin.database, location }, { kept: database.isBatched, ...options })
    const service = await buildApp(opened, owned, { tables: async () => {} })
    onTestFinished(() => service.close())
    return service
  }

  /** The database for a role that the server lets in no more. Roles belong to the server, and other tests may make it, too. */
  async function unwelcome(): Promise<string> {
    const url = new URL(admin.database.location)
    url.username = 'crud_unwelcome'
    url.password = 'no secret'
    const create = `create role ${url.username} login connection limit 0 password 'no secret'`
    const ignore = 'exception when duplicate_object or unique_violation then null'
    await sql.raw(`do $$ begin ${create}; ${ignore}; end $$`).execute(admin.db)
    return url.href
  }

  async function detailOf(answer: Promise<{ readonly status: number; readonly body: { readonly detail: string } }>) {
    const { status, body } = await answer
    expect(status, JSON.stringify(body)).toBe(503)
    return body.detail
  }

  test('all connections of the pool are in use', async () => {
    const { id } = await admin.add('/api/owner', { name: 'o' })
    const service = await serviceWith({ max: 1, connectionTimeoutMillis: 500 })
    await service.db.connection().execute(async () => {
      for (const [method, body] of [['GET'], ['PATCH', { name: 'n' }], ['DELETE']] as const) {
        const detail = await detailOf(service.request(method, `/api/owner/${id}`, body))
        expect(detail).toMatch(/all connections of the service to the database are in use/)
      }
    })
    expect((await service.get(`/api/owner/${id}`)).status).toBe(200)
  })

  test('the server takes no more connections', async () => {
    const { id } = await admin.add('/api/owner', { name: 'o' })
    const service = await serviceWith({}, await unwelcome())
    expect(await detailOf(service.get(`/api/owner/${id}`))).toMatch(/the database accepts no more connections/)
    expect(await detailOf(service.delete(`/api/owner/${id}`))).toMatch(/the database accepts no more connections/)
  })

  test('the statement took too long', async () => {
    await admin.add('/api/owner', { name: 'o' })
    const service = await serviceWith({ session: { statement_timeout: '100ms' } })
    const writer = await otherWriter(admin.database)
    onTestFinished(() => writer.end('rollback'))
    await writer.run('lock table owner in access exclusive mode')
    const detail = await detailOf(service.get('/api/owner'))
    expect(detail).toMatch(/did not finish this in time/)
    expect(detail).not.toMatch(OTHER_WRITES)
  })

  test('others hold a lock', async () => {
    const { id } = await admin.add('/api/owner', { name: 'o' })
    const service = await serviceWith({ session: { lock_timeout: '5ms' } })
    const writer = await otherWriter(admin.database)
    onTestFinished(() => writer.end('rollback'))
    await writer.run('select 1 from owner for update')
    expect(await detailOf(service.patch(`/api/owner/${id}`, { name: 'n' }))).toMatch(OTHER_WRITES)
  })
})
