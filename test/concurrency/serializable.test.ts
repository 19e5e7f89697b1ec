import { readPosition } from '@fastify-crud/core/internal'
import { Type } from '@sinclair/typebox'
import { defineResources, needs } from 'fastify-crud'
import { describe, expect, test } from 'vitest'
import { topPath } from '../../packages/core/src/model/collection-path.ts'
import { createJsonStore } from '../../packages/core/src/store/json-store.ts'
import type { AppOptions } from '../support/app.ts'
import { databases, type TestDatabase } from '../support/databases.ts'
import { failCommits, timesWritten } from '../support/fail-commits.ts'
import { resultOf } from '../support/result-of.ts'
import { useServers } from '../support/servers.ts'
import { owned } from './models.ts'

const postgres = databases.find(({ name }) => name === 'postgres') as TestDatabase

const ways = [
  { title: 'kept statements', kept: true, rowLocks: 'for no key update' },
  { title: 'a plain pool', kept: false, rowLocks: 'for no key update' },
  { title: 'no locks of rows', kept: true, rowLocks: 'none' },
  { title: 'a plain pool and no locks of rows', kept: false, rowLocks: 'none' },
] as const

const serializable = { isolation: 'serializable' } as const

describe.each(ways)('serializable writes, with $title', ({ kept, rowLocks }) => {
  const servers = useServers(postgres, owned, {}, { kept, engine: { ...serializable, rowLocks } })

  test('of one owner at once: all are done, and what is there is what one of them wanted', async () => {
    for (let round = 0; round < 3; round++) {
      const { id } = await servers.one.add('/api/owner', { name: 'o' })
      const path = `/api/owner/${id}`
      const writers = ['a', 'b', 'c', 'd', 'e', 'f']
      const answers = await servers.atOnce(
        ...writers.map((name) => ['PUT', path, { name, items: [{ name }, { name }] }] as const),
      )
      expect(answers.map(({ status }) => status)).toEqual(writers.map(() => 200))
      expect(answers.map(({ body }) => body)).toContainEqual(await servers.one.read(path))
    }
  })

  test('give one of ten equal unique POSTs its place', async () => {
    const { id } = await servers.one.add('/api/owner', { name: 'o' })
    const posts = Array.from({ length: 10 }, () => ['POST', `/api/owner/${id}/item`, { name: 'i', rank: 1 }] as const)
    const answers = await servers.atOnce(...posts)
    expect(answers.map(resultOf).sort()).toEqual(['201', ...Array(9).fill('409 CRUD_ERR_NOT_UNIQUE')])
  })

  describe.each(['40001', '40P01'])('are tried again if COMMIT fails with %s', (code) => {
    const failing = () => failCommits(servers.one.db, 'owner', code)

    test('a POST', async () => {
      await failing()
      expect((await servers.other.post('/api/owner', { name: 'o', items: [{ name: 'i' }] })).status).toBe(201)
      expect((await servers.one.read('/api/owner')).count).toBe(1)
      expect(await timesWritten(servers.one.db)).toBe(2)
    })

    test('a PUT that is planned before it', async () => {
      const { id } = await servers.one.add('/api/owner', { name: 'o', items: [{ name: 'i' }] })
      await failing()
      const { status, body } = await servers.other.put(`/api/owner/${id}`, { name: 'new', items: [{ name: 'j' }] })
      expect(status).toBe(200)
      expect(body).toMatchObject({ name: 'new', items: [{ name: 'j' }] })
      expect(await servers.one.read(`/api/owner/${id}`)).toEqual(body)
    })

    test('a PATCH that reads nothing first', async () => {
      const { id } = await servers.one.add('/api/owner', { name: 'o' })
      await failing()
      expect((await servers.other.patch(`/api/owner/${id}`, { name: 'new' })).body).toMatchObject({ name: 'new' })
      expect(await servers.one.read(`/api/owner/${id}`)).toMatchObject({ name: 'new' })
    })

    test('a DELETE that reads nothing first', async () => {
      const { id, items } = await servers.one.add('/api/owner', {
        name: 'o',
        items: [{ name: 'i', tip: { name: 't' } }],
      })
      await failCommits(servers.one.db, 'tip', code)
      const path = `/api/owner/${id}/item/${items[0].id}/tip/${items[0].tip.id}`
      expect((await servers.other.delete(path)).status).toBe(204)
      expect((await servers.one.get(path)).status).toBe(404)
    })
  })

  test('are tried again if they are a dry run, and store nothing', async () => {
    const { id } = await servers.one.add('/api/owner', { name: 'o' })
    await failCommits(servers.one.db, 'owner', '40001', 'at once')
    const prefer = { prefer: 'tx=rollback' }
    const { status, body } = await servers.other.request('PUT', `/api/owner/${id}`, { name: 'new' }, prefer)
    expect([status, body.name]).toEqual([200, 'new'])
    expect((await servers.one.read(`/api/owner/${id}`)).name).toBe('o')
  })

  test('tell the position of the COMMIT that was done, and of no other', async () => {
    const store = createJsonStore({ db: servers.other.db, resources: owned })
    const at = { path: topPath(owned, 'owner'), owners: [] }
    const positions: (bigint | undefined)[] = []
    const notePosition = (position: string) => void positions.push(readPosition(position))
    await store.create(at, { name: 'before' }, undefined, { notePosition })
    await failCommits(servers.one.db, 'owner', '40001')
    await store.create(at, { name: 'o' }, undefined, { notePosition })
    expect(positions).toHaveLength(2)
    const [before = 0n, behind = 0n] = positions
    expect(behind).toBeGreaterThan(before)
  })

  test('are not tried again if the engine cannot tell what became of COMMIT', async () => {
    await failCommits(servers.one.db, 'owner', '40003')
    const { body } = await servers.other.post('/api/owner', { name: 'o' })
    expect(body.code).toBe('CRUD_ERR_OUTCOME_UNKNOWN')
    expect(await timesWritten(servers.one.db)).toBe(1)
  })
})

const loose = defineResources({
  place: { fields: { name: Type.String() } },
  guest: { fields: { name: Type.String() }, relations: { place: needs.one('place', { constraint: false }) } },
})

describe.each(ways)('serializable writes without foreign keys, with $title', ({ kept, rowLocks }) => {
  const servers = useServers(postgres, loose, {}, { kept, engine: { ...serializable, rowLocks } })

  test('name a record or remove it, and never both', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await servers.one.add('/api/place', { name: 'p' })
      const answers = await servers.atOnce(
        ['POST', '/api/guest', { name: 'g', placeId: id }],
        ['DELETE', `/api/place/${id}`],
      )
      const results = answers.map(resultOf).join(' and ')
      expect(results).toMatch(/^(?:201 and 409 CRUD_ERR_STILL_NEEDED|400 CRUD_ERR_UNKNOWN_REFERENCE and 204)$/)
    }
  })
})

const clinic = defineResources({
  doctor: { fields: { name: Type.String(), onCall: Type.Boolean() } },
})

/** Two writes at a time have read before one of them goes on. */
function pairs(): () => Promise<void> {
  let waiting: (() => void) | undefined
  let hadAPair = false
  return () => {
    if (hadAPair) return Promise.resolve()
    if (waiting === undefined) return new Promise((resolve) => (waiting = resolve))
    hadAPair = true
    waiting()
    return Promise.resolve()
  }
}

describe.each([
  { isolation: 'read committed', left: 0 },
  { isolation: 'serializable', left: 1 },
] as const)('a rule that reads rows which it does not lock, in $isolation', ({ isolation, left }) => {
  let meet = pairs()
  const rules: NonNullable<AppOptions['plugin']>['rules'] = {
    doctor: {
      async validate({ after, db, refuse }) {
        if (after === null || after.onCall) return
        const { count } = await db
          .selectFrom('doctor')
          .select((eb) => eb.fn.countAll().as('count'))
          .where('onCall', '=', true)
          .executeTakeFirstOrThrow()
        await meet()
        if (Number(count) < 2) refuse('one doctor is always on call')
      },
    },
  }
  const servers = useServers(postgres, clinic, { plugin: { rules } }, { engine: { isolation } })

  test(`leaves ${left} of two doctors on call who go at the same time`, async () => {
    const paths: string[] = []
    for (const name of ['Ada', 'Bo']) {
      paths.push(`/api/doctor/${(await servers.one.add('/api/doctor', { name, onCall: true })).id}`)
    }
    meet = pairs()
    await servers.atOnce(...paths.map((path) => ['PATCH', path, { onCall: false }] as const))
    const { rows } = await servers.one.read('/api/doctor')
    expect(rows.filter(({ onCall }: { onCall: boolean }) => onCall)).toHaveLength(left)
  })
})
