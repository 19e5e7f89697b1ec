import { Type } from '@sinclair/typebox'
import { createStore, defineResources, needs, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Answer, useApp } from '../../../../test/support/app.ts'
import { openedSetups } from '../../../../test/support/databases.ts'
import { expectProblem } from '../../../../test/support/problem.ts'
import { withGivenId, withIntegerIds, withTestIds } from '../../../../test/support/test-ids.ts'

const resources = defineResources({
  tag: { fields: { text: Type.String() } },
  flat: {
    fields: { name: Type.String(), note: Type.Optional(Type.String()) },
    relations: { rows: owns.many('row') },
  },
  row: {
    fields: { rank: Type.Optional(Type.Integer()) },
    relations: { flat: ownedBy('flat'), tag: needs.one('tag') },
  },
  series: { fields: { numbers: Type.Array(Type.Number()) } },
  node: {
    fields: { text: Type.String() },
    relations: { parent: ownedBy('node', { optional: true }), nodes: owns.many('node') },
  },
})

const code = 'CRUD_ERR_TOO_LARGE'
const MB = 'x'.repeat(1_000_000)

/** A write that is done, and answered without the record. */
function expectMinimal(answer: Answer, status: number): void {
  expect([answer.status, JSON.stringify(answer.body)?.slice(0, 200)]).toEqual([status, undefined])
  expect(answer.headers['preference-applied']).toBe('return=minimal')
}

for (const setup of openedSetups) {
  describe(`an answer of more than 32 MiB (${setup.title})`, () => {
    const service = useApp(setup, resources)

    /** A flat whose rows each show the text of a tag. */
    async function addFlat(name: string, tagId: number, rows: number): Promise<string> {
      const body = { name, rows: Array.from({ length: rows }, (_, rank) => ({ tagId, rank })) }
      const answer = await service.post('/api/flat', body)
      expectMinimal(answer, 201)
      return String(answer.headers.location)
    }

    test('is refused, and says what to ask for instead; the service goes on', async () => {
      const { id } = await service.add('/api/tag', { text: MB })
      const paths: string[] = []
      for (let index = 0; index < 6; index++) paths.push(await addFlat(`flat ${index}`, id, 92))
      expectProblem(await service.get('/api/flat'), { code, detail: /limit/ })
      expectProblem(await service.get('/api/flat?limit=1'), { code })
      expectProblem(await service.get(paths[0] as string), { code, detail: /rows/ })
      expect((await service.get(`${paths[0]}/row?limit=10`)).body.rows).toHaveLength(10)
      expect((await service.read('/api/tag')).rows[0].text).toHaveLength(MB.length)
    })

    test('is not given by a write, either, which is done nevertheless', async () => {
      const { id: tagId } = await service.add('/api/tag', { text: MB })
      const path = await addFlat('flat', tagId, 40)
      const { rows } = await service.read(`${path}/row?limit=2`)
      expectMinimal(await service.patch(path, { name: 'renamed' }), 200)
      expectMinimal(await service.patch(path, { name: 'renamed' }), 200)
      expectMinimal(await service.patch(path, { note: 'n', rows: [{ id: rows[0].id, rank: 7 }] }), 200)
      expect(await service.read(`${path}/row/${rows[0].id}`)).toMatchObject({ rank: 7 })
      const many = Array.from({ length: 40 }, () => ({ tagId }))
      expectMinimal(await service.put(path, { name: 'put', rows: [rows[1], ...many] }), 200)
      expect((await service.read(`${path}/row?limit=1`)).count).toBe(41)
      const small = await service.put(path, { name: 'small', rows: [rows[1]] })
      expect(small.status).toBe(200)
      expect(small.body.rows).toHaveLength(1)
      expectMinimal(await service.put(path, { name: 'put', rows: many }), 200)
      expect((await service.delete(path)).status).toBe(204)
      expect(await service.read('/api/flat')).toEqual({ rows: [], count: 0 })
    })

    test('is found out before it is built', async () => {
      const { id } = await service.add('/api/tag', { text: MB })
      const path = await addFlat('flat', id, 1_200)
      expectProblem(await service.get(path), { code })
      expectProblem(await service.get('/api/flat'), { code })
      expectMinimal(await service.patch(path, { rows: [{ tagId: id }] }), 200)
      expect((await service.read(`${path}/row?limit=1`)).count).toBe(1_201)
    })
  })

  describe(`an answer of more than 32 MiB of many records (${setup.title})`, () => {
    // The database numbers so many rows by itself.
    const service = useApp(setup, withIntegerIds(resources))

    test('may be one of wide trees, without a long text', async () => {
      const root = sql<{ id: number }>`insert into node (text) values (${'x'.repeat(400)}) returning id`
      for (let tree = 0; tree < 20; tree++) {
        const { rows } = await root.execute(service.db)
        const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 4000) select i from n`
        await sql`insert into node (text, "parentId") select ${'x'.repeat(400)}, ${sql.lit(rows[0]?.id)} from (${numbers}) as numbers`.execute(
          service.db,
        )
      }
      expectProblem(await service.get('/api/node'), { code, detail: /limit/ })
      expect((await service.read('/api/node?limit=1')).rows[0].nodes).toHaveLength(4_000)
    })
  })

  describe(`the option limits.maxAnswer (${setup.title})`, () => {
    const service = useApp(setup, resources, { plugin: { limits: { maxAnswer: 2_000 } } })
    const long = 'é'.repeat(700)

    test('counts bytes of UTF-8', async () => {
      const { id } = await service.add('/api/flat', { name: long })
      expect((await service.get(`/api/flat/${id}`)).status).toBe(200)
      expectMinimal(await service.patch(`/api/flat/${id}`, { note: long }), 200)
      expectProblem(await service.get(`/api/flat/${id}`), { code })
    })

    test('bounds a tree, and what is read of a record to plan a write; nothing is changed then', async () => {
      const { id, nodes } = await service.add('/api/node', { text: 'root', nodes: [{ text: 'a' }, { text: long }] })
      expectMinimal(await service.post(`/api/node/${nodes[0].id}/node`, { text: `${long}${long}` }), 201)
      expectProblem(await service.get(`/api/node/${id}`), { code })
      expectProblem(await service.get(`/api/node/${id}/node`), { code })
      await service.refuse('PATCH', `/api/node/${id}`, { nodes: [{ id: nodes[0].id, text: 'b' }] }, { code })
      await service.refuse('PUT', `/api/node/${id}`, { text: 'root' }, { code })
      expectMinimal(await service.patch(`/api/node/${id}`, { text: 'renamed' }), 200)
      expect((await service.delete(`/api/node/${id}`)).status).toBe(204)
      expect(await service.read('/api/node')).toEqual({ rows: [], count: 0 })
    })

    test('bounds what the database makes of numbers', async () => {
      const numbers = Array.from({ length: 10 }, () => 1e308)
      const answer = await service.post('/api/series', { numbers })
      // PostgreSQL writes all of the 309 digits.
      if (setup.name === 'postgres') expectMinimal(answer, 201)
      else expect(answer).toMatchObject({ status: 201, body: { numbers } })
    })

    test('of a store: a write that is done says so when its record cannot be returned', async () => {
      const flats = createStore({
        db: service.db,
        resources: withTestIds(resources),
        limits: { maxAnswer: 2_000 },
      }).resource('flat')
      await expect(flats.create(withGivenId('flat', { name: `${long}${long}` }))).rejects.toMatchObject({
        code,
        message: /was written/,
      })
      await expect(flats.list()).rejects.toMatchObject({ code })
      expect((await service.snapshot(['flat'])).flat).toHaveLength(1)
    })
  })
}
