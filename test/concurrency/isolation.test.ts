import { describe, expect, test } from 'vitest'
import { databases, type TestDatabase } from '../support/databases.ts'
import { resultOf } from '../support/result-of.ts'
import { useServers } from '../support/servers.ts'
import { owned } from './models.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

describe.each(['repeatable read', 'serializable'])('a PostgreSQL that starts transactions as %s', (level) => {
  const session = { default_transaction_isolation: level, deadlock_timeout: '50ms' }
  const servers = useServers(postgres, owned, {}, { session })

  test('serializes the writers of one owner all the same: none works on what was there before it had the lock', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await servers.one.add('/api/owner', { name: 'o' })
      const path = `/api/owner/${id}`
      const writers = ['a', 'b', 'c', 'd', 'e', 'f']
      const answers = await servers.atOnce(
        ...writers.map((name) => ['PUT', path, { name: 'o', items: [{ name }, { name }] }] as const),
      )
      expect(answers.map(({ status }) => status)).toEqual(writers.map(() => 200))
      expect(answers.map(({ body }) => body)).toContainEqual(await servers.one.read(path))
    }
  })

  test('gives one of 20 equal unique POSTs its place', async () => {
    const { id } = await servers.one.add('/api/owner', { name: 'o' })
    const posts = Array.from({ length: 20 }, () => ['POST', `/api/owner/${id}/item`, { name: 'i', rank: 1 }] as const)
    const answers = await servers.atOnce(...posts)
    expect(answers.map(resultOf).sort()).toEqual(['201', ...Array(19).fill('409 CRUD_ERR_NOT_UNIQUE')])
  })
})
