import { expect, test } from 'vitest'
import { describeServersOnDatabases } from '../support/describe-on-databases.ts'
import { resultOf } from '../support/result-of.ts'
import { type Request, useServers } from '../support/servers.ts'
import { bothWays, related } from './models.ts'

const ROUNDS = 4

describeServersOnDatabases('one association, added by many at the same time', (database) => {
  const servers = useServers(database, bothWays)

  async function addPair() {
    const { id: a } = await servers.one.add('/api/a', { name: 'a' })
    const { id: b } = await servers.one.add('/api/b', { name: 'b' })
    return { a: `/api/a/${a}`, b: `/api/b/${b}`, as: [{ id: a }], bs: [{ id: b }] }
  }

  test('from one side: all are 200, and there is one link', async () => {
    const { a, bs } = await addPair()
    const answers = await servers.atOnce(...Array.from({ length: 8 }, (): Request => ['PATCH', a, { bs }]))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect((await servers.one.snapshot(['a_b'])).a_b).toHaveLength(1)
  })

  test('from both sides of the one link table: all are 200, and there is one link', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { a, b, as, bs } = await addPair()
      const answers = await servers.atOnce(['PATCH', a, { bs }], ['PATCH', b, { as }], ['PUT', b, { name: 'b', as }])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect((await servers.one.snapshot(['a_b'])).a_b).toHaveLength(round + 1)
    }
  })

  test('while a PUT sets others: the result is that of one of the two orders', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { a, bs } = await addPair()
      const { id: other } = await servers.one.add('/api/b', { name: 'c' })
      const answers = await servers.atOnce(['PATCH', a, { bs }], ['PUT', a, { name: 'a', bs: [{ id: other }] }])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      const ids = (await servers.one.read(a)).bs.map(({ id }: { id: number }) => id)
      expect([[other], [...bs.map(({ id }) => id), other].sort((x, y) => x - y)]).toContainEqual(ids)
    }
  })

  test('while either side is deleted: it is answered before that or refused, and no link stays behind', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { a, b, as, bs } = await addPair()
      const [add, addBack, remove] = await servers.atOnce(
        ['PATCH', a, { bs }],
        ['PATCH', b, { as }],
        ['DELETE', round % 2 === 0 ? a : b],
      )
      expect(remove?.status).toBe(204)
      if (add?.status === 200) expect(add.body.bs).toMatchObject(bs)
      if (addBack?.status === 200) expect(addBack.body.as).toMatchObject(as)
      // The one that is deleted is not found itself; to the other one it is an unknown reference.
      const [removed, other] = round % 2 === 0 ? [add, addBack] : [addBack, add]
      expect(['200', '404 CRUD_ERR_NOT_FOUND']).toContain(resultOf(removed))
      expect(['200', '400 CRUD_ERR_UNKNOWN_REFERENCE']).toContain(resultOf(other))
      expect((await servers.one.snapshot(['a_b'])).a_b).toEqual([])
    }
  })
})

describeServersOnDatabases('needs.many, added and set by many at the same time', (database) => {
  const servers = useServers(database, related)

  test('PATCH and PUT of the set: none is lost or doubled, and one is always left', async () => {
    const { id: placeId } = await servers.one.add('/api/place', { name: 'p' })
    const { id: seatId } = await servers.one.add('/api/seat', { name: 's' })
    const { id: key } = await servers.one.add('/api/key', { name: 'k' })
    const { things } = await servers.one.add('/api/box', {
      name: 'b',
      things: ['a', 'b', 'c', 'd'].map((name) => ({ name })),
    })
    const refs: { id: number }[] = things.map(({ id }: { id: number }) => ({ id }))
    const base = { name: 'g', placeId, seatId, keys: [{ id: key }] }
    const { id } = await servers.one.add('/api/guest', { ...base, things: refs.slice(0, 1) })
    const path = `/api/guest/${id}`
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await servers.atOnce(
        ['PATCH', path, { things: refs.slice(1, 3) }],
        ['PUT', path, { ...base, things: refs.slice(3) }],
        ['PATCH', path, { things: refs.slice(2) }],
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      const ids = (await servers.one.read(path)).things.map((thing: { id: number }) => thing.id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(ids).toContain(refs[3]?.id)
    }
  })
})
