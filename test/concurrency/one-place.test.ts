import { expect, test } from 'vitest'
import { describeServersOnDatabases } from '../support/describe-on-databases.ts'
import { resultOf } from '../support/result-of.ts'
import { type Request, useServers } from '../support/servers.ts'
import { owned } from './models.ts'

const ROUNDS = 4

describeServersOnDatabases('a place for one child', (database) => {
  const servers = useServers(database, owned)

  test('POST by many at the same time: one is 201, the others are 409', async () => {
    const { id, items } = await servers.one.add('/api/owner', { name: 'o', items: [{ name: 'i' }] })
    for (const path of [`/api/owner/${id}/card`, `/api/owner/${id}/item/${items[0].id}/tip`]) {
      const posts = Array.from({ length: 8 }, (_, n): Request => ['POST', path, { name: `${n}` }])
      const answers = await servers.atOnce(...posts)
      expect(answers.map(resultOf).sort()).toEqual(['201', ...Array(7).fill('409 CRUD_ERR_EXISTS')])
    }
    expect(await servers.one.snapshot(['card', 'tip'])).toMatchObject({ card: [{}], tip: [{}] })
  })

  test('POST and a PUT of the owner that brings a child or none: never two, whatever came first', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id } = await servers.one.add('/api/owner', { name: 'o' })
      const [post, put, patch] = await servers.atOnce(
        ['POST', `/api/owner/${id}/card`, { name: 'posted' }],
        ['PUT', `/api/owner/${id}`, { name: 'p', card: { name: 'put' } }],
        ['PATCH', `/api/owner/${id}`, { card: { name: 'patched' } }],
        ['PUT', `/api/owner/${id}`, { name: 'q' }],
      )
      expect([put?.status, patch?.status]).toEqual([200, 200])
      // It is refused only where a child came first, that of the PUT or of the PATCH.
      expect(['201', '409 CRUD_ERR_EXISTS']).toContain(resultOf(post))
      const { card } = await servers.one.snapshot(['card'])
      expect(card?.filter((row) => row.includes(`"ownerId":${id}`) || row.includes(`"ownerId":"${id}"`)).length).toBe(
        (await servers.one.read(`/api/owner/${id}`)).card === null ? 0 : 1,
      )
    }
  })

  test('DELETE by many at the same time: one is 204, the others are 404', async () => {
    const { id, card } = await servers.one.add('/api/owner', { name: 'o', card: { name: 'c' } })
    const path = `/api/owner/${id}/card/${card.id}`
    const answers = await servers.atOnce(...Array.from({ length: 5 }, (): Request => ['DELETE', path]))
    expect(answers.map(resultOf).sort()).toEqual(['204', ...Array(4).fill('404 CRUD_ERR_NOT_FOUND')])
  })
})
