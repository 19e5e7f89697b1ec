import { beforeEach, expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth, describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { resultOf } from '../../../../test/support/result-of.ts'
import { type Request, useServers } from '../../../../test/support/servers.ts'
import { crudOf } from '../rules/support/crud-of.ts'
import { addDeep, type DeepRecord, type Send, waysToChange } from './support/deep-record.ts'
import { deepened } from './support/deepened.ts'
import { recipeOf } from './support/recipe.ts'

const { resources, rules } = await recipeOf('An audit table')
const deep = deepened(resources, 'contract')
const caller = ({ headers }: JsonBody) => (headers['x-user'] ? { name: headers['x-user'] } : {})
const plugin = { rules, caller }

async function trail(service: TestApp, resource: string, id?: number): Promise<JsonBody[]> {
  const ofOne = id === undefined ? '' : `&filter[recordId]=${id}`
  const { rows } = await service.read(`/api/audit?filter[resource]=${resource}${ofOne}&sort=id&limit=100`)
  return rows
}

/** Fails unless each row begins with what the one before it has left. */
function expectUnbroken(rows: readonly JsonBody[]): void {
  expect(rows[0]).toMatchObject({ action: 'Add', before: null })
  for (const [index, row] of rows.entries()) if (index > 0) expect(row.before).toEqual(rows[index - 1]?.after)
}

describeOnBoth('the recipe of an audit table', (database) => {
  const service = useApp(database, deep, { plugin })
  const ada: Send = (method, path, body) => service.request(method, path, body, { 'x-user': 'ada' })
  let contract: DeepRecord
  let clauses: JsonBody[]
  beforeEach(async () => {
    contract = await addDeep(ada, 'contract', { title: 'Lease', clauses: [{ text: 'a' }, { text: 'b' }] })
    clauses = contract.record.clauses
  })

  test('has a row for each change, by whichever way it comes', async () => {
    const { id } = contract.record
    let count = 0
    for (const { by, go } of waysToChange(service, contract, { title: 'n' })) {
      const title = `t${count++}`
      await service.patch(contract.path, { title })
      const before = await trail(service, 'contract', id)
      expect((await go()).status, by).toBe(200)
      const added = (await trail(service, 'contract', id)).slice(before.length)
      expect(added, by).toMatchObject([{ action: 'Edit', before: { title }, after: { id, title: 'n' }, caller: null }])
    }
    const rows = await trail(service, 'contract', id)
    expectUnbroken(rows)
    expect(rows).toHaveLength(1 + 2 * count)
    expect(rows[0].caller).toEqual({ name: 'ada' })
  })

  test('has what changes below it, by whichever path', async () => {
    const { path, floorPath, inFloor, record } = contract
    const [first, second] = clauses
    await ada('PATCH', `${path}/clause/${first.id}`, { text: 'A' })
    await ada('PATCH', floorPath, inFloor({ id: record.id, clauses: [{ id: first.id, text: 'AA' }, { text: 'c' }] }))
    await ada('PUT', floorPath, inFloor({ id: record.id, title: 'Lease', clauses: [{ id: first.id, text: 'AAA' }] }))
    const ofFirst = await trail(service, 'clause', first.id)
    expect(ofFirst.map(({ action, after }) => `${action} ${after?.text}`)).toEqual([
      'Add a',
      'Edit A',
      'Edit AA',
      'Edit AAA',
    ])
    expectUnbroken(ofFirst)
    expect((await trail(service, 'clause', second.id)).map(({ action }) => action)).toEqual(['Add', 'Delete'])
    expect((await trail(service, 'clause')).length).toBe(8)
    expect(await trail(service, 'contract')).toHaveLength(1)
  })

  test('has what a delete takes along', async () => {
    await ada('DELETE', contract.floorPath)
    for (const [resource, { id }] of [
      ['contract', contract.record],
      ['clause', clauses[0]],
      ['clause', clauses[1]],
    ] as const) {
      const rows = await trail(service, resource, id)
      expectUnbroken(rows)
      expect(rows.at(-1)).toMatchObject({ action: 'Delete', after: null, caller: { name: 'ada' } })
    }
  })

  test('has nothing of what changes nothing, is refused, or undone', async () => {
    const before = await service.snapshot(['audit'])
    const { path, floorPath, inFloor, record, inStore } = contract
    expect((await ada('PUT', path, await service.read(path))).status).toBe(200)
    expect((await ada('PATCH', floorPath, inFloor({ id: record.id, title: 'x', clauses: [{ id: 999 }] }))).status).toBe(
      400,
    )
    const rolledBack = await service.request('PATCH', path, { title: 'x' }, { prefer: 'tx=rollback' })
    expect(rolledBack.body).toMatchObject({ title: 'x' })
    await inStore(crudOf(service)).patch(record.id, { title: 'x' }, { dryRun: true })
    const failing = service.db.transaction().execute(async (transaction) => {
      await inStore(crudOf(service).in(transaction)).patch(record.id, { title: 'x' })
      throw new Error('of the application')
    })
    await expect(failing).rejects.toThrow('of the application')
    expect(await service.snapshot(['audit'])).toEqual(before)
  })
})

describeServersOnDatabases('the recipe of an audit table, on several servers', (database) => {
  const servers = useServers(database, deep, { plugin })

  test('has one unbroken row for each change that was answered', async () => {
    const { path, floorPath, inFloor, record } = await addDeep(servers.one.request, 'contract', { title: 't' })
    const requests = Array.from({ length: 12 }, (_, index): Request => {
      const title = `t${index}`
      if (index % 3 === 0) return ['PATCH', floorPath, inFloor({ id: record.id, title })]
      return index % 3 === 1
        ? ['PATCH', path, { title }]
        : ['PATCH', path, { title, clauses: [{ id: 999, text: 'x' }] }]
    })
    const results = (await servers.atOnce(...requests)).map(resultOf)
    expect(results.filter((result) => result === '200')).toHaveLength(8)
    const rows = await trail(servers.one, 'contract', record.id)
    expectUnbroken(rows)
    expect(rows).toHaveLength(1 + 8)
    expect(await servers.one.read(path)).toMatchObject({ title: rows.at(-1)?.after.title })
  })
})
