import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { ada, asCaller, headersOf, type Who } from '../policies/support/as-caller.ts'
import { useOffices } from '../policies/support/use-offices.ts'
import { expectNoTrace } from './support/expect-no-trace.ts'
import { jsonFilter } from './support/spellings.ts'
import { after, rowsOf } from './support/walk.ts'

const eve: Who = { user: 3, org: 2 }

describeOnBoth('a record outside of View that a shown one names', (database) => {
  const { service, rows, ada: client } = useOffices(database)

  async function numbers(query: string): Promise<string[]> {
    const { rows, count } = await client.read(`/api/invoice?${query}`)
    expect(count).toBe(rows.length)
    return rows.map(({ number }: JsonBody) => number)
  }

  test('is null in a filter', async () => {
    expect(await numbers('filter[project.name][null]=true')).toEqual(['our first'])
    expect(await numbers('filter[project.name][ne]=our+project')).toEqual(['our first'])
    expect(await numbers('filter[project.name][startsWith]=z')).toEqual([])
    expect(await numbers('filter[project.id][gte]=0')).toEqual(['our second'])
    expect(await numbers(jsonFilter({ not: { 'project.name': { gt: 'a' } } }))).toEqual(['our first'])
    expect(await numbers('filter[seal.text][null]=true')).toEqual(['our first'])
    expect(await numbers('filter[seal.signerId]=2')).toEqual([])
  })

  test('keeps its foreign key, which is a field of the shown record', async () => {
    expect(await numbers(`filter[projectId]=${rows.project.hidden.id}`)).toEqual(['our first'])
  })

  test('is null in a sort: last in both directions', async () => {
    for (const sort of ['project.name', '-project.name', 'seal.text', '-seal.text']) {
      expect(await numbers(`sort=${sort}`)).toEqual(['our second', 'our first'])
    }
  })

  test('is null in fields, and does not make the record partial', async () => {
    const path = `/api/invoice/${rows.invoice.ours.id}`
    expect(await client.read(`${path}?fields=number,project.name,notes.text,count(notes),count(tags)`)).toMatchObject({
      project: null,
      notes: [{ text: 'mine' }],
      'count(notes)': 1,
      'count(tags)': 1,
    })
    expect(await client.read(path)).not.toHaveProperty('partial')
  })

  test('hides what it owns from filters', async () => {
    expect(await numbers('filter[notes.replies.text]=answer')).toEqual(['our first'])
    expect(await numbers('filter[notes.replies.text][contains]=reply')).toEqual([])
    expect(await numbers(jsonFilter({ notes: { every: { authorId: 1 } } }))).toEqual(['our first', 'our second'])
    expect(await numbers(jsonFilter({ notes: { none: { authorId: { ne: 1 } } } }))).toEqual(['our first', 'our second'])
  })

  test('has no part in a cursor, however long its name is', async () => {
    await rows.all.project.patch(rows.project.hidden.id, { name: 'zebra'.repeat(200) })
    for (const sort of ['project.name', '-project.name', 'project.name,-number', '-seal.text']) {
      const path = `/api/invoice?sort=${sort}`
      const { rows: expected } = await client.read(path)
      const first = await client.get(`${path}&limit=1`)
      expectNoTrace(first, /zebra/)
      expect(await rowsOf((one) => client.get(one), `${path}&limit=1`)).toEqual(expected)
    }
  })

  test('leaves a cursor of one caller harmless with another', async () => {
    const eveClient = asCaller(service, { ...eve, mayNotSee: /our first|our second|our customer/ })
    for (const sort of ['number', '-customer.name', 'project.name', '-count(lines)']) {
      const path = `/api/invoice?sort=${sort}&limit=1`
      const { next } = await client.read(path)
      const answer = await eveClient.get(after(path, next))
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500)
      for (const row of answer.body.rows ?? []) expect(row.orgId).toBe(2)
    }
    const number = 'zebra '.repeat(200)
    const { customer } = rows
    const { id } = await rows.all.invoice.create({ number, orgId: 2, customerId: customer.hidden.id })
    const path = '/api/invoice?sort=-number&limit=1'
    const { body } = await service.request('GET', path, undefined, headersOf(eve))
    expect(body).toMatchObject({ rows: [{ id }], next: expect.any(String) })
    // The cursor names a row that Ada may not see.
    const answer = await client.get(after(path, body.next))
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500)
    for (const row of answer.body.rows ?? []) expect(row.orgId).toBe(1)
  })

  test('is not there for a caller who has nothing to compare', async () => {
    const nobody = asCaller(service, { mayNotSee: ada.mayNotSee as RegExp })
    expect(await nobody.read('/api/invoice?filter[customer.name][ne]=x&count=5')).toEqual({ rows: [], count: 0 })
  })
})
