import { expect } from 'vitest'
import type { TestApp } from '../../../../../test/support/app.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { plain } from './check-columns.ts'
import { type Column, type ColumnsCase, type Field, schemaOf } from './column-kind.ts'
import type { ColumnsService } from './columns-service.ts'
import { type CompareShown, compareShown } from './compare-shown.ts'

/** Filters and sorts by what the records show. */
export async function checkQueries(
  { columns }: ColumnsCase,
  { service, fields }: ColumnsService,
  records: readonly JsonBody[],
): Promise<void> {
  for (const [index, column] of columns.entries()) {
    const field = fields[index] as Field
    const shown = records.filter((record) => ![undefined, null].includes(record[field.name]))
    const nulls = records.filter((record) => record[field.name] === null)
    expect(idsOf(await list(service, { [field.name]: { null: true } }))).toEqual(idsOf(nulls))
    const compare = compareShown(service.database.name, column, field)
    if (compare === undefined) await checkElements(service, field, shown)
    else {
      await checkComparisons(service, column, field.name, shown, compare)
      if (field.storage === 'string') await checkTexts(service, field.name, shown)
      for (const sort of [field.name, `-${field.name}`]) await checkSort(service, sort, records, compare)
    }
  }
}

/** A value that is shown finds its row, and those with an equal one. */
async function checkComparisons(
  service: TestApp,
  { kind }: Column,
  name: string,
  shown: readonly JsonBody[],
  compare: CompareShown,
): Promise<void> {
  for (const record of shown) {
    const value = record[name]
    const filters = { eq: value, in: [value], ...(typeof value !== 'boolean' && { gte: value }) }
    for (const [operator, operand] of Object.entries(filters)) {
      const filter = { [name]: { [operator]: operand } }
      if (kind.equality === 'none' && operator !== 'gte') {
        expect([filter, (await service.get(pathOf(filter))).status]).toEqual([filter, 400])
        continue
      }
      const expected = shown.filter((other) => {
        const order = compare(other[name] as never, value as never)
        return operator === 'gte' ? order >= 0 : order === 0
      })
      const ids = idsOf(await list(service, filter)).filter((id) => idsOf(shown).includes(id))
      const atLeast = kind.equality === 'own' && operator !== 'gte'
      expect([filter, ids]).toEqual([filter, atLeast ? expect.arrayContaining(idsOf(expected)) : idsOf(expected)])
    }
  }
}

/** The operators of texts compare what is shown, where the field has them. */
async function checkTexts(service: TestApp, name: string, shown: readonly JsonBody[]): Promise<void> {
  for (const record of shown) {
    const text = [...record[name]]
    const half = Math.ceil(text.length / 2)
    const operators: Record<string, readonly [part: string, matches: (other: string, part: string) => boolean]> = {
      contains: [text.slice(1, half + 1).join(''), (other, part) => other.includes(part)],
      startsWith: [text.slice(0, half).join(''), (other, part) => other.startsWith(part)],
      endsWith: [text.slice(half).join(''), (other, part) => other.endsWith(part)],
    }
    for (const [operator, [part, matches]] of Object.entries(operators)) {
      const filter = { [name]: { [operator]: part } }
      const { status, body } = await service.get(pathOf(filter))
      if (status === 400) continue
      expect([filter, status]).toEqual([filter, 200])
      const expected = shown.filter((other) => matches(other[name], part))
      expect([filter, idsOf(body.rows).filter((id) => idsOf(shown).includes(id))]).toEqual([filter, idsOf(expected)])
    }
    expect([200, 400]).toContain((await service.get(pathOf({ [name]: { icontains: record[name] } }))).status)
  }
}

/** An array of scalars is found by each of its elements. */
async function checkElements(service: TestApp, field: Field, shown: readonly JsonBody[]): Promise<void> {
  const { name } = field
  if (schemaOf(field).type !== 'array') return
  for (const record of shown) {
    for (const element of record[name]) {
      if (element === null) continue
      const expected = shown.filter((other) => other[name].includes(element))
      const filter = { [name]: { has: element } }
      expect([filter, idsOf(await list(service, filter))]).toEqual([filter, idsOf(expected)])
    }
  }
}

/** Page after page, each record is there once, and those that show a value are in its order. */
async function checkSort(
  service: TestApp,
  sort: string,
  records: readonly JsonBody[],
  compare: CompareShown,
): Promise<void> {
  const name = sort.replace(/^-/, '')
  const direction = sort === name ? 1 : -1
  const seen: JsonBody[] = []
  for (let path: string | undefined = `/api/item?limit=2&sort=${sort}`; path !== undefined; ) {
    const { rows, next } = await service.read(path)
    seen.push(...plain(rows))
    path = next && `/api/item?limit=2&sort=${sort}&after=${encodeURIComponent(next)}`
  }
  expect([sort, idsOf(seen).toSorted((one, other) => one - other)]).toEqual([sort, idsOf(records)])
  const values = (of: readonly JsonBody[]) =>
    of.flatMap((one) => (name in one ? [{ id: one.id, value: one[name] }] : []))
  const expected = values(records).toSorted((one, other) => {
    if (one.value === null || other.value === null) {
      const nulls = Number(one.value === null) - Number(other.value === null)
      return nulls === 0 ? direction * (one.id - other.id) : nulls
    }
    return direction * (compare(one.value as never, other.value as never) || one.id - other.id)
  })
  expect([sort, values(seen)]).toEqual([sort, expected])
}

async function list(service: TestApp, filter: object): Promise<readonly JsonBody[]> {
  const path = pathOf(filter)
  const { status, body } = await service.get(path)
  expect([filter, status, status === 200 ? undefined : body]).toEqual([filter, 200, undefined])
  return body.rows
}

function pathOf(filter: object): string {
  return `/api/item?limit=100&filter=${encodeURIComponent(JSON.stringify(filter))}`
}

function idsOf(records: readonly JsonBody[]): number[] {
  return records.map(({ id }) => id)
}
