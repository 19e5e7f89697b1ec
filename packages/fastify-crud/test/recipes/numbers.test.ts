import { expect, test } from 'vitest'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { type Request, useServers } from '../../../../test/support/servers.ts'
import { recipeOf } from './support/recipe.ts'

const { resources, rules } = await recipeOf('Numbers without gaps')

describeServersOnDatabases('the recipe of numbers without gaps', (database) => {
  const servers = useServers(database, resources, { plugin: { rules } })

  test('gives each number of a series once, whichever server adds an invoice, and misses none', async () => {
    const requests = Array.from({ length: 30 }, (_, n): Request => {
      return [
        'POST',
        '/api/invoice',
        { title: `${n}`, series: n % 3 === 0 ? 'A' : 'B', ...(n % 5 === 0 && { number: 1 }) },
      ]
    })
    const answers = await servers.atOnce(...requests)
    expect(answers.map(({ status }) => status)).toEqual(requests.map((_, n) => (n % 5 === 0 ? 400 : 201)))
    const { rows } = await servers.one.read('/api/invoice?limit=100')
    const ofSeries = (series: string) => rows.filter((row: JsonBody) => row.series === series)
    for (const [series, count] of [
      ['A', 8],
      ['B', 16],
    ] as const) {
      const given = ofSeries(series).map(({ number }: JsonBody) => number)
      expect(given.sort((one: number, other: number) => one - other)).toEqual(
        Array.from({ length: count }, (_, n) => n + 1),
      )
    }
    const references = rows.map(({ reference }: JsonBody) => Number(reference.slice(2)))
    expect(references.sort((one: number, other: number) => one - other)).toEqual(
      Array.from({ length: 24 }, (_, n) => 1_000 + n),
    )
  })

  test('keeps invoices, so that no number goes missing', async () => {
    const { id } = await servers.one.add('/api/invoice', { title: 'Ink' })
    await servers.one.refuse('DELETE', `/api/invoice/${id}`, undefined, { code: 'CRUD_ERR_REFUSED' })
    expect(await servers.one.patch(`/api/invoice/${id}`, { title: 'Paper' })).toMatchObject({ body: { number: 1 } })
  })
})
