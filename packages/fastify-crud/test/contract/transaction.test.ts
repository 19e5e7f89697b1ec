import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { doneStatus } from '../../../../test/support/done-status.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { otherWriter } from '../../../../test/support/other-writer.ts'
import { ownsMany } from './models/owns-many.ts'

const begins = (statements: readonly string[]) =>
  statements.filter((statement) => /^\s*(begin|start)\b/i.test(statement))

describeOnDatabases('every write is one transaction', (database) => {
  const service = useApp(database, ownsMany)
  let parent: JsonBody
  let path: string

  beforeEach(async () => {
    parent = await service.add('/api/parent', { name: 'a', children: [{ name: '1' }, { name: '2' }] })
    path = `/api/parent/${parent.id}`
  })

  test('begun once, and not rolled back', async () => {
    const writes: [string, string, unknown][] = [
      ['POST', '/api/parent', { name: 'b', children: [{ name: '3' }] }],
      ['PUT', path, { name: 'b', children: [{ ...parent.children[0], name: 'x' }, { name: '3' }] }],
      ['PATCH', path, { note: 'n', children: [{ name: '4' }] }],
      ['DELETE', path, undefined],
    ]
    for (const [method, url, body] of writes) {
      const statements = await service.statements(async () => {
        expect((await service.request(method, url, body)).status).toBe(doneStatus[method])
      })
      expect(begins(statements)).toHaveLength(1)
      expect(statements.filter((statement) => /^\s*rollback/i.test(statement))).toEqual([])
    }
  })

  test('begun only when there is something to write: not by a PUT or PATCH that changes nothing', async () => {
    const statements = await service.statements(async () => {
      expect((await service.put(path, parent)).body).toEqual(parent)
      expect((await service.patch(path, {})).body).toEqual(parent)
      expect((await service.patch(path, { children: [{ id: parent.children[0].id }] })).body).toEqual(parent)
    })
    // With `direct` what is read belongs to the transaction, which keeps nobody from writing until it writes itself.
    expect(begins(statements)).toEqual(database.isDirect ? ['begin', 'begin', 'begin'] : [])
  })

  test('which a PUT or PATCH that changes nothing does not wait for while somebody else writes', async () => {
    const writer = await otherWriter(service.database)
    try {
      expect(await service.put(path, parent)).toMatchObject({ status: 200, body: parent })
      for (const body of [{}, { name: parent.name }, { children: [{ id: parent.children[0].id }] }]) {
        expect(await service.patch(path, body)).toMatchObject({ status: 200, body: parent })
      }
    } finally {
      await writer.end('rollback')
    }
  })

  test('nor by a GET, nor by a body that does not fit', async () => {
    const statements = await service.statements(async () => {
      await service.get('/api/parent')
      await service.get(path)
      await service.get(`${path}/child`)
      await service.post('/api/parent', {})
      await service.put(path, {})
    })
    expect(begins(statements)).toEqual([])
  })
})
