import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { museum } from '../contract/models/museum.ts'
import { useExhibits } from './exhibits.ts'
import { type RawAttempt, refuseAllRaw } from './refuse-all.ts'
import { refuseRaw } from './refuse-raw.ts'

const noObjects = [
  'null',
  'true',
  '0',
  '1',
  '""',
  '"{}"',
  '[]',
  '[{}]',
  '[null]',
  '[[]]',
  '{}{}',
  '{}[]',
  '',
  ' ',
  '\u0000',
]

describeServersOnDatabases('a body that is no object', (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)

  test('is 400 on every path that takes one', async () => {
    for (const body of noObjects) {
      const { mine, folder } = exhibits
      const [lid] = mine.parts
      const collections = [
        '/api/item',
        '/api/folder',
        `/api/item/${mine.id}/part`,
        `/api/item/${mine.id}/label`,
        `/api/item/${mine.id}/part/${lid.id}/repair`,
        `/api/folder/${folder.id}/folder`,
      ]
      const records = [
        `/api/item/${mine.id}`,
        `/api/item/${mine.id}/part/${lid.id}`,
        `/api/item/${mine.id}/label/${mine.label.id}`,
        `/api/item/${mine.id}/part/${lid.id}/repair/${lid.repairs[0].id}`,
        `/api/folder/${folder.id}/folder/${folder.folders[0].id}`,
      ]
      const sent = (methods: string[], paths: string[]) =>
        methods.flatMap((method) => paths.map((path): RawAttempt => [method, path, body]))
      // An array without elements writes no records there, which is nothing.
      await refuseAllRaw(service, { code: 'CRUD_ERR_INVALID' }, [
        ...(body === '[]' ? [] : sent(['POST', 'PUT'], collections)),
        ...sent(['PUT', 'PATCH'], records),
      ])
    }
  })

  test('is of no account to GET, HEAD and, if it is JSON, to DELETE', async () => {
    const { mine } = exhibits
    const path = `/api/item/${mine.id}`
    for (const method of ['GET', 'HEAD']) expect((await service.raw(method, path, '{')).status).toBe(200)
    await refuseRaw(service, 'DELETE', path, '{', { code: 'CRUD_ERR_INVALID' })
    await refuseRaw(service, 'DELETE', path, 'x', { code: 'CRUD_ERR_BODY', status: 415 }, 'text/plain')
    const elsewhere = JSON.stringify({ id: exhibits.other.id })
    expect((await service.raw('DELETE', path, elsewhere)).status).toBe(204)
    expect(await service.read(`/api/item/${exhibits.other.id}`)).toEqual(exhibits.other)
  })
})
