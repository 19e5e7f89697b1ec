import { sql } from 'kysely'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { buildApp, useApp } from '../../../../test/support/app.ts'
import { type OpenDatabase, openedSetups } from '../../../../test/support/databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { writesIn } from '../../../../test/support/statement-log.ts'
import { at } from '../contract/ids/kinds.ts'
import { createTables, EXTREMES, modelOf, PARTS } from './part-columns.ts'

// Parts of ids in columns that spell values in their own way, or take several spellings for one value.

for (const setup of openedSetups) {
  describe.each(PARTS[setup.name] ?? [])(
    `parts of ids in columns of the type $title (${setup.title})`,
    ({ type, schema, values, also, raw }) => {
      const options = { tables: (open: OpenDatabase) => createTables(open, type) }
      const service = useApp(setup, modelOf(schema), options)
      const exists = { code: 'CRUD_ERR_EXISTS' } as const
      const taken = { code: 'CRUD_ERR_NOT_UNIQUE' } as const
      const [first, second] = values
      let box: JsonBody
      let path: string

      beforeEach(async () => {
        box = await service.add('/api/box', {
          name: 'a',
          items: [
            { key: second, n: 1, value: 2 },
            { key: first, n: 1, value: 1 },
          ],
          tops: [
            { key: second, value: 2 },
            { key: first, value: 1 },
          ],
          one: { key: first, value: 1 },
        })
        path = `/api/box/${box.id}`
      })

      test('are in the id as the member has them, and in the order of the ids', async () => {
        expect(box.items.map(({ id, key }: JsonBody) => [id, key])).toEqual(
          values.map((value) => [`${value},1`, value]),
        )
        expect(box.tops.map(({ id, key }: JsonBody) => [id, key])).toEqual(values.map((value) => [value, value]))
        expect(box.one).toEqual({ id: first, key: first, value: 1 })
        expect(await service.read(path)).toEqual(box)
        for (const item of box.items) expect(await service.read(at(`${path}/item`, item.id))).toEqual(item)
        for (const top of box.tops) expect(await service.read(at(`${path}/top`, top.id))).toEqual(top)
        expect((await service.read(`${path}/item?sort=-id`)).rows).toEqual([...box.items].reverse())
        expect((await service.read(`${path}/item?filter[id]=${encodeURIComponent(box.items[0].id)}`)).rows).toEqual(
          box.items.slice(0, 1),
        )
        const page = await service.read(`${path}/item?limit=1`)
        expect((await service.read(`${path}/item?limit=1&after=${page.next}`)).rows).toEqual(box.items.slice(1))
      })

      test('a PUT of the GET answer writes nothing; others change, add and remove', async () => {
        const statements = await service.statements(async () => {
          expect(await service.put(path, box)).toMatchObject({ status: 200, body: box })
          const [item] = box.items
          expect(await service.put(at(`${path}/item`, item.id), item)).toMatchObject({ status: 200, body: item })
        })
        expect(writesIn(statements)).toEqual([])
        const body = {
          name: 'a',
          items: [
            { id: `${second},1`, value: 20 },
            { key: first, n: 2, value: 3 },
          ],
          tops: [{ key: first, value: 10 }],
          one: { value: 5 },
        }
        const { status, body: put } = await service.put(path, body)
        expect(status, JSON.stringify(put)).toBe(200)
        expect(put).toMatchObject({
          items: [
            { id: `${first},2`, value: 3 },
            { id: `${second},1`, value: 20 },
          ],
          tops: [{ id: first, value: 10 }],
          one: { id: first, value: 5 },
        })
        expect(await service.read(path)).toEqual(put)
      })

      test('name one record at the top', async () => {
        for (const [collection, id, parts] of [
          ['/api/whole', `${first},1`, { key: first, n: 1 }],
          ['/api/single', first, { key: first }],
        ] as const) {
          const its = at(collection, id)
          const created = await service.post(collection, { ...parts, value: 1 })
          expect(created).toMatchObject({ status: 201, body: { id, ...parts }, headers: { location: its } })
          expect(await service.read(its)).toEqual(created.body)
          expect((await service.read(`${collection}?filter[id]=${encodeURIComponent(id)}`)).rows).toEqual([
            created.body,
          ])
          await service.refuse('POST', collection, { ...parts, value: 2 }, exists)
          await service.refuse('POST', its, { value: 2 }, exists)
          expect(await service.put(collection, created.body)).toMatchObject({ status: 200, body: created.body })
          expect(await service.patch(its, { value: 3 })).toMatchObject({ status: 200, body: { id, value: 3 } })
          expect((await service.delete(its)).status).toBe(204)
          expect(await service.post(its, { value: 4 })).toMatchObject({ status: 201, body: { id, ...parts, value: 4 } })
        }
      })

      test('find their record at the top, too, where they begin with the id of the owner', async () => {
        for (const item of box.items) {
          const id = `${box.id},${item.id}`
          const its = at('/api/item', id)
          const shown = { ...item, id, boxId: box.id }
          expect(await service.read(its)).toMatchObject(shown)
          expect((await service.read(`/api/item?filter[id]=${encodeURIComponent(id)}`)).rows).toMatchObject([shown])
          expect(await service.patch(its, { value: 5 })).toMatchObject({ status: 200, body: { ...shown, value: 5 } })
          expect(await service.put(its, { value: item.value })).toMatchObject({ status: 200, body: shown })
        }
        const page = await service.read('/api/item?limit=1')
        expect((await service.read(`/api/item?limit=1&after=${page.next}`)).rows).toMatchObject([{ key: second }])
        expect((await service.delete(at('/api/item', `${box.id},${box.items[0].id}`))).status).toBe(204)
        expect((await service.read(path)).items).toEqual(box.items.slice(1))
      })

      test('are what other records name', async () => {
        const singles = [
          await service.add('/api/single', { key: second, value: 2 }),
          await service.add('/api/single', { key: first, value: 1 }),
        ]
        const others = singles.map(({ id }: JsonBody) => ({ id }))
        const use = await service.add('/api/use', { name: 'u', singleId: first, others })
        expect(use).toMatchObject({ singleId: first, single: singles[1], others: [singles[1], singles[0]] })
        const its = `/api/use/${use.id}`
        expect(await service.put(its, use)).toMatchObject({ status: 200, body: use })
        for (const filter of ['singleId', 'single.id', 'others.id']) {
          const { rows } = await service.read(`/api/use?filter[${filter}]=${encodeURIComponent(first)}`)
          expect(rows, filter).toEqual([use])
        }
        await service.refuse('DELETE', at('/api/single', first), undefined, { code: 'CRUD_ERR_STILL_NEEDED' })
        expect((await service.patch(its, { singleId: second })).body).toMatchObject({ single: singles[0] })
        expect((await service.delete(at('/api/single', first))).status).toBe(204)
        expect((await service.read(its)).others).toEqual([singles[0]])
        expect((await service.patch(its, { others: [] })).body.others).toEqual([singles[0]])
        expect((await service.put(its, { name: 'v', singleId: second })).body.others).toEqual([])
        const none = { code: 'CRUD_ERR_UNKNOWN_REFERENCE', pointers: ['/singleId'] } as const
        await service.refuse('PATCH', its, { singleId: first }, none)
      })

      test('that no column of the type can hold name no record', async () => {
        const before = await service.snapshot()
        for (const key of EXTREMES) {
          for (const url of [at('/api/whole', `${key},1`), at(`${path}/top`, key)]) {
            for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', { value: 1 }]] as const) {
              const answer = await service.request(method, url, body)
              expect([400, 404], `${method} ${url} ${JSON.stringify(answer.body)}`).toContain(answer.status)
            }
          }
          const found = await service.get(`/api/whole?filter[id]=${encodeURIComponent(`${key},1`)}`)
          expect(found.status === 200 ? found.body.rows : found.status, key).toEqual(found.status === 200 ? [] : 400)
        }
        const invalid = { code: 'CRUD_ERR_INVALID' } as const
        for (const key of EXTREMES.filter((one) => one.length > 10 && /^(0000-01|9999)/.test(one))) {
          await service.refuse('POST', '/api/whole', { key, n: 1, value: 1 }, { ...invalid, pointers: ['/key'] })
          await service.refuse('PATCH', path, { tops: [{ key, value: 1 }] }, { ...invalid, pointers: ['/tops/0/key'] })
        }
        expect(await service.snapshot()).toEqual(before)
      })

      if (also.length > 0)
        test('find their record by the first request after the start', async () => {
          for (const method of ['GET', 'PATCH', 'DELETE']) {
            const fresh = await buildApp(setup, modelOf(schema), options)
            onTestFinished(() => fresh.close())
            const [{ id }] = (
              await sql<{ id: number }>`insert into box (name) values ('a') returning id`.execute(fresh.db)
            ).rows as [{ id: number }]
            await sql`insert into item ("boxId", key, n, value) values (${id}, ${sql.raw(String(raw))}, 1, 1)`.execute(
              fresh.db,
            )
            const answer = await fresh.request(
              method,
              at('/api/item', `${id},${also[0]},1`),
              method === 'PATCH' ? { value: 3 } : undefined,
            )
            expect(answer.status, JSON.stringify(answer.body)).toBe(method === 'DELETE' ? 204 : 200)
          }
        })

      if (also.length > 0)
        test('that are spelled otherwise find their record by its path, and never make it twice', async () => {
          for (const other of also) {
            const its = at(`${path}/top`, other)
            expect(await service.read(its)).toEqual(box.tops[0])
            expect(await service.patch(its, { value: 8 })).toMatchObject({ status: 200, body: { id: first, value: 8 } })
            expect((await service.patch(its, { value: 1 })).status).toBe(200)
            await service.refuse('PUT', its, { value: 2 }, { code: 'CRUD_ERR_INVALID', pointers: ['/key'] })
            await service.refuse('POST', its, { value: 2 }, exists)
            await service.refuse('POST', `${path}/top`, { key: other, value: 2 }, exists)
            await service.refuse('PATCH', path, { tops: [{ key: other, value: 7 }] }, taken)
            await service.refuse('PATCH', path, { items: [{ key: other, n: 1, value: 7 }] }, taken)
            const { status } = await service.patch(path, { one: { key: other, value: 7 } })
            expect(status).toBe(400)
          }
          expect(await service.read(path)).toEqual(box)
          expect((await service.delete(at(`${path}/top`, also[0] as string))).status).toBe(204)
          expect((await service.read(path)).tops).toEqual(box.tops.slice(1))
        })

      if (first.includes('T'))
        test('that are the same text but another moment are another record', async () => {
          const other = first.replace('Z', '+02:00')
          const its = at(`${path}/top`, other)
          for (const method of ['GET', 'DELETE'])
            await service.refuse(method, its, undefined, { code: 'CRUD_ERR_NOT_FOUND' })
          await service.refuse('PATCH', its, { value: 3 }, { code: 'CRUD_ERR_NOT_FOUND' })
          const { body } = await service.patch(path, {
            tops: [{ key: other, value: 3 }],
            items: [{ key: other, n: 1, value: 3 }],
          })
          expect(body.tops).toMatchObject([{ value: 3 }, { id: first, value: 1 }, { id: second, value: 2 }])
          expect(body.items).toMatchObject([{ value: 3 }, { key: first, value: 1 }, { key: second, value: 2 }])
          expect(await service.put(path, body)).toMatchObject({ status: 200, body })
          expect((await service.delete(its)).status).toBe(204)
          expect((await service.read(path)).tops).toEqual(box.tops)
        })
    },
  )
}
