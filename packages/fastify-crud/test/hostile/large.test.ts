import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { museum } from '../contract/models/museum.ts'
import { bodiesOf, useExhibits } from './exhibits.ts'
import { refuseRaw } from './refuse-raw.ts'

const MEBIBYTE = 1024 * 1024

describeServersOnDatabases('a body that is as large as it may be', (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)

  const brackets: Record<string, string> = {
    'brackets that open': '['.repeat(MEBIBYTE),
    'brackets that open and close': '['.repeat(MEBIBYTE / 2) + ']'.repeat(MEBIBYTE / 2),
    'pairs of brackets': `[${'[],'.repeat(MEBIBYTE / 3 - 2)}[]]`,
    'braces that open': '{"a":'.repeat(MEBIBYTE / 5 - 1),
    'braces in a field': `{"extra":${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}}`,
    'brackets in a field': `{"extra":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
    'brackets in a list of children': `{"parts":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
    'children of children': `{"parts":[${'{"repairs":['.repeat(40_000)}${']}'.repeat(40_000)}]}`,
    'folders in folders': `${'{"name":"x","folders":['.repeat(5_000)}${']}'.repeat(5_000)}`,
    '100,000 objects': `[${'{},'.repeat(99_999)}{}]`,
    '100,000 children': `{"parts":[${'{},'.repeat(99_999)}{}]}`,
    '100,000 references': `{"experts":[${'{},'.repeat(99_999)}{}]}`,
    '100,000 numbers in a field': `{"marks":[${'1,'.repeat(99_999)}1]}`,
    '100,000 unknown properties': `{${Array.from({ length: 80_000 }, (_, at) => `"k${at}":1`).join()}}`,
    '100,000 equal keys': `{${'"title":1,'.repeat(99_999)}"title":1}`,
  }
  for (const [what, text] of Object.entries(brackets)) {
    test(`is 400 in few words: ${what}`, async () => {
      expect(text.length).toBeLessThanOrEqual(MEBIBYTE)
      const [collection, path] = what.startsWith('folders')
        ? ['/api/folder', `/api/folder/${exhibits.folder.id}`]
        : ['/api/item', `/api/item/${exhibits.mine.id}`]
      for (const [method, url] of [
        ['POST', collection],
        ['PATCH', path],
      ] as const) {
        const problem = await refuseRaw(service, method, url, text, { code: 'CRUD_ERR_INVALID' })
        expect(JSON.stringify(problem).length).toBeLessThan(300_000)
      }
    })
  }

  test('is 400 for DELETE too, if it is no JSON', async () => {
    const path = `/api/item/${exhibits.mine.id}`
    await refuseRaw(service, 'DELETE', path, '['.repeat(MEBIBYTE), { code: 'CRUD_ERR_INVALID' })
  })
})

describeServersOnDatabases('thousands of values that are wrong', (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)

  test('below a very long key of the client are an answer that is not much longer than the body', async () => {
    const { item } = bodiesOf(exhibits)
    const wrong = Array.from({ length: 9_000 }, () => 'x')
    for (const length of [1_000, 100_000, 900_000]) {
      const body = { ...item, counts: { ['k'.repeat(length)]: wrong } }
      const problem = await service.refuse('POST', '/api/item', body, { code: 'CRUD_ERR_INVALID' })
      expect(problem.errors.length).toBeGreaterThan(0)
      expect(JSON.stringify(problem).length).toBeLessThan(length + 100_000)
    }
  })

  test('are listed up to 1,000', async () => {
    const { item } = bodiesOf(exhibits)
    const marks = Array.from({ length: 9_000 }, () => 'x')
    const problem = await service.refuse('POST', '/api/item', { ...item, marks }, { code: 'CRUD_ERR_INVALID' })
    expect(problem.errors).toHaveLength(1_000)
  })

  test('of references are named, and none is stored', async () => {
    const { item } = bodiesOf(exhibits)
    const experts = Array.from({ length: 9_000 }, (_, at) => ({ id: 1_000_000 + at }))
    await service.refuse('POST', '/api/item', { ...item, experts }, { code: 'CRUD_ERR_UNKNOWN_REFERENCE' })
  })
})

describeServersOnDatabases('a very long key', (database) => {
  const service = useApp(database, museum)

  test('is named once in full, and else in few words', async () => {
    const name = 'k'.repeat(500_000)
    const body = { code: 'CRUD_ERR_INVALID' } as const
    const unknown = await service.refuse('POST', '/api/topic', { word: 'x', [name]: 1 }, body)
    expect(JSON.stringify(unknown).length).toBeLessThan(501_000)
    const query = await service.refuse('GET', `/api/topic?${name.slice(0, 50_000)}=1`, undefined, body)
    expect(JSON.stringify(query).length).toBeLessThan(1_000)
  })
})
