import { describe, expect, test } from 'vitest'
import { members } from '../../packages/fastify-crud/test/contract/models/members.ts'
import { useApp } from '../support/app.ts'
import { setups } from '../support/databases.ts'
import { otherWriter } from '../support/other-writer.ts'

// SQLite has one writer at a time, so nothing comes in between there.
const onPostgres = setups.filter(({ name }) => name === 'postgres')

describe.each(onPostgres)('a write-only value that another writer sets meanwhile ($title)', (database) => {
  const service = useApp(database, members)

  /** Sends a request that waits for the row's lock, and sets the value before it goes on. */
  async function meanwhile(id: number, request: () => Promise<unknown>): Promise<unknown> {
    const writer = await otherWriter(service.database)
    await writer.run(`update idol set secret = 'theirs' where id = ${id}`)
    const answer = request()
    await writer.untilAwaited()
    await writer.end('commit')
    return await answer
  }

  const secretOf = async (id: number) =>
    (await service.db.selectFrom('idol').select('secret').where('id', '=', id).executeTakeFirst())?.secret

  test.each([
    ['PUT', { name: 'new' }],
    ['PATCH', { name: 'new' }],
  ])('is kept by a %s that does not set it', async (method, body) => {
    const { id } = await service.add('/api/idol', { name: 'i', secret: 'ours' })
    const answer = await meanwhile(id, () => service.request(method, `/api/idol/${id}`, body))
    expect(answer).toMatchObject({ status: 200, body: { name: 'new' } })
    expect(await secretOf(id)).toBe('theirs')
  })

  test.each([
    ['PUT', { name: 'new', secret: 'last' }],
    ['PUT', { name: 'i', secret: 'ours' }],
    ['PATCH', { secret: 'ours' }],
  ])('is overwritten by a %s that sets it: it comes last', async (method, body) => {
    const { id } = await service.add('/api/idol', { name: 'i', secret: 'ours' })
    const answer = await meanwhile(id, () => service.request(method, `/api/idol/${id}`, body))
    expect(answer).toMatchObject({ status: 200 })
    expect(await secretOf(id)).toBe(body.secret)
  })
})
