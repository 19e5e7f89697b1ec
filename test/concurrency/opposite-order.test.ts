import { expect, test } from 'vitest'
import { describeServersOnDatabases } from '../support/describe-on-databases.ts'
import { type Request, useServers } from '../support/servers.ts'
import { owned, related } from './models.ts'

const ROUNDS = 4
/** A deadlock is found at once, so that the tests need not wait for it. */
const session = { deadlock_timeout: '10ms' }

describeServersOnDatabases('writes over the same rows in opposite order', (database) => {
  const servers = useServers(database, owned, {}, { session })

  test('PUT and PATCH of one owner that list its children in opposite order: all are 200', async () => {
    const items = Array.from({ length: 20 }, (_, rank) => ({ name: `${rank}`, rank }))
    const owner = await servers.one.add('/api/owner', { name: 'o', items })
    const path = `/api/owner/${owner.id}`
    for (let round = 0; round < ROUNDS; round++) {
      const listed = (name: string) =>
        owner.items.map(({ id, rank }: { id: number; rank: number }) => ({ id, rank, name }))
      const answers = await servers.atOnce(
        ['PUT', path, { name: 'o', items: listed(`${round} a`) }],
        ['PUT', path, { name: 'o', items: listed(`${round} b`).toReversed() }],
        ['PATCH', path, { items: listed(`${round} c`) }],
        ['PATCH', path, { items: listed(`${round} d`).toReversed() }],
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(answers.map(({ body }) => body)).toContainEqual(await servers.one.read(path))
    }
  })
})

describeServersOnDatabases('writes that need each other’s rows', (database) => {
  const servers = useServers(database, related, {}, { session })

  test('records that are deleted while those that know them are written: no deadlock reaches the client', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id: placeId } = await servers.one.add('/api/place', { name: 'p' })
      const { id: boxId, things } = await servers.one.add('/api/box', {
        name: 'b',
        things: Array.from({ length: 6 }, (_, n) => ({ name: `${n}` })),
      })
      const refs = things.map(({ id }: { id: number }) => ({ id }))
      const fans: number[] = []
      for (let n = 0; n < 6; n++) {
        const body = { name: `${n}`, placeId, thingId: things[n].id, things: n % 2 === 0 ? refs : refs.toReversed() }
        fans.push((await servers.one.add('/api/fan', body)).id)
      }
      const requests: Request[] = fans.flatMap((id, n): Request[] => [
        ['PUT', `/api/fan/${id}`, { name: 'put', thingId: things[5 - n].id, things: refs.slice(n) }],
        ['PATCH', `/api/fan/${id}`, { name: 'patched', placeId }],
      ])
      const answers = await servers.atOnce(
        ['DELETE', `/api/place/${placeId}`],
        ...requests.slice(0, 6),
        ['DELETE', `/api/box/${boxId}`],
        ...requests.slice(6),
      )
      expect(answers[0]?.status).toBe(204)
      expect(answers[7]?.status).toBe(204)
      for (const { status, body } of answers.filter((_, index) => index !== 0 && index !== 7)) {
        if (status !== 200) expect([status, body.code]).toEqual([400, 'CRUD_ERR_UNKNOWN_REFERENCE'])
      }
      for (const id of fans) {
        expect(await servers.one.read(`/api/fan/${id}`)).toMatchObject({ placeId: null, thingId: null, things: [] })
      }
    }
  })

  test('two owners whose children are known by the same records, deleted at once: both go', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const boxes: { id: number; things: { id: number }[] }[] = []
      for (const name of ['a', 'b']) {
        boxes.push(await servers.one.add('/api/box', { name, things: [{ name: 't' }, { name: 'u' }] }))
      }
      const refs = boxes.flatMap(({ things }) => things.map(({ id }) => ({ id })))
      const fans: Request[] = []
      for (const [n, { id: thingId }] of refs.entries()) {
        const fan = await servers.one.add('/api/fan', { name: `${n}`, thingId, things: refs })
        fans.push(['PATCH', `/api/fan/${fan.id}`, { name: 'again' }])
      }
      const answers = await servers.atOnce(...boxes.map(({ id }): Request => ['DELETE', `/api/box/${id}`]), ...fans)
      expect(answers.map(({ status }) => status)).toEqual([204, 204, 200, 200, 200, 200])
    }
  })
})
