import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth, describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { useServers } from '../../../../test/support/servers.ts'
import { crudOf } from '../rules/support/crud-of.ts'
import { addDeep, answerOf, type DeepRecord, type Send } from './support/deep-record.ts'
import { deepened } from './support/deepened.ts'
import { recipeOf } from './support/recipe.ts'

const { resources, rules } = await recipeOf('Who wrote a record, and when')
const deep = deepened(resources, 'article')
const plugin = { rules, caller: ({ headers }: JsonBody) => (headers['x-user'] ? { name: headers['x-user'] } : {}) }

const old = '2001-01-01T00:00:00.000Z'
const forged = { createdAt: old, createdBy: 'mallory', updatedAt: old, updatedBy: 'mallory' }

describeOnBoth('the recipe of who wrote a record, and when,', (database) => {
  const service = useApp(database, deep, { plugin })
  const as =
    (name: string): Send =>
    (method, path, body) =>
      service.request(method, path, body, { 'x-user': name })
  const [ada, ben] = [as('ada'), as('ben')]
  let article: DeepRecord
  beforeEach(async () => {
    article = await addDeep(ada, 'article', { title: 'Ink' })
  })

  const stamps = ({ createdAt, createdBy, updatedAt, updatedBy }: JsonBody) => ({
    createdAt,
    createdBy,
    updatedAt,
    updatedBy,
  })

  test('stamps a new record', () => {
    const { createdAt } = article.record
    expect(article.record).toMatchObject({ createdBy: 'ada', updatedBy: 'ada', updatedAt: createdAt })
    expect(Date.parse(createdAt)).toBeGreaterThan(Date.parse(old))
  })

  test('refuses them in a POST and PATCH, at any depth', async () => {
    const { path, floorPath, inFloor, inStore, record } = article
    const { id } = record
    for (const [name, value] of Object.entries(forged)) {
      const before = await service.snapshot()
      const one = { [name]: value }
      const answers = [
        await ada('PATCH', path, one),
        await ada('PATCH', floorPath, inFloor({ id, ...one })),
        await ada('PATCH', floorPath, inFloor({ title: 'New', ...one })),
        await ada('POST', path.slice(0, path.lastIndexOf('/')), { title: 'New', ...one }),
        await ada('POST', '/api/floor', { rooms: [{ shelves: [{ items: [{ title: 'New', ...one }] }] }] }),
        await answerOf(inStore(crudOf(service)).patch(id, one)),
        await answerOf(inStore(crudOf(service)).create({ title: 'New', ...one })),
      ]
      for (const [index, answer] of answers.entries()) {
        expect(answer, `${name} ${index}`).toMatchObject({ status: 400, body: { code: 'CRUD_ERR_INVALID' } })
      }
      expect(await service.snapshot()).toEqual(before)
    }
  })

  test('passes over them in a PUT, at any depth', async () => {
    const { path, floorPath, inFloor, record } = article
    const { id } = record
    await ben('PUT', path, { ...record, ...forged, title: 'Blue ink' })
    const put = stamps(await service.read(path))
    expect(put).toMatchObject({ createdAt: record.createdAt, createdBy: 'ada', updatedBy: 'ben' })
    expect(Date.parse(put.updatedAt)).toBeGreaterThanOrEqual(Date.parse(record.updatedAt))
    await ada('PUT', floorPath, inFloor({ id, title: 'Red ink', ...forged }, { title: 'New', ...forged }))
    const { body } = await ada('GET', floorPath)
    const [changed, added] = body.rooms[0].shelves[0].items
    expect(changed).toMatchObject({ createdAt: record.createdAt, createdBy: 'ada', updatedBy: 'ada' })
    expect(added).toMatchObject({ createdBy: 'ada', updatedBy: 'ada' })
    expect([added.createdAt, changed.updatedAt]).not.toContain(old)
  })

  test('leaves them where nothing else changes, also for a PUT of the owner', async () => {
    const { path, floorPath, record, inFloor } = article
    for (const [method, url, body] of [
      ['PUT', path, { ...record, ...forged }],
      ['PUT', floorPath, inFloor({ id: record.id, title: 'Ink' })],
      ['PATCH', floorPath, inFloor({ title: 'Another' })],
      ['PATCH', floorPath, { name: 'upstairs' }],
    ] as const) {
      expect((await ben(method, url, body)).status, `${method} ${url}`).toBe(200)
      expect(await service.read(path)).toEqual(record)
    }
  })

  test('keeps who changed a record last where the application itself changes it', async () => {
    const changed = await article.inStore(crudOf(service)).patch(article.record.id, { title: 'Blue ink' })
    expect(changed).toMatchObject({ createdBy: 'ada', updatedBy: 'ada' })
    const added = await article.inStore(crudOf(service)).create({ title: 'By the application' })
    expect(added).toMatchObject({ createdBy: null, updatedBy: null })
  })
})

describeServersOnDatabases('the recipe of who wrote a record, on several servers,', (database) => {
  const servers = useServers(database, deep, { plugin })

  test('names who wrote last what is stored', async () => {
    const { path } = await addDeep(servers.one.request, 'article', { title: 'Ink' })
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    await Promise.all(
      names.map((name, index) =>
        (index % 2 === 0 ? servers.one : servers.other).request('PATCH', path, { title: name }, { 'x-user': name }),
      ),
    )
    const { title, updatedBy } = await servers.one.read(path)
    expect(names).toContain(title)
    expect(updatedBy).toBe(title)
  })
})
