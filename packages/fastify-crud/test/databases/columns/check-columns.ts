import { expect } from 'vitest'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { writesIn } from '../../../../../test/support/statement-log.ts'
import { type ColumnsCase, nameOfColumn } from './column-kind.ts'
import type { ColumnsService } from './columns-service.ts'

/**
 * What the service shows of rows that SQL has written fits the schema, can be put back, and is stored again by a POST. What no field can
 * show is left out. Returns the records.
 */
export async function checkRecords(
  columns: ColumnsCase['columns'],
  { service, rows, log, fields, textsOf }: ColumnsService,
): Promise<readonly JsonBody[]> {
  const records: readonly JsonBody[] = plain((await service.read('/api/item?limit=100')).rows)
  expect(records.map(({ id }) => id)).toEqual([...rows.keys()])
  for (const record of records) {
    const path = `/api/item/${record.id}`
    const cells = rows.get(record.id) ?? []
    const isPartial = cells.some(({ isShown }) => !isShown)
    for (const one of [record, ...record.parts]) {
      expect(one.partial).toBe(isPartial || undefined)
      for (const [index, { value, isShown }] of cells.entries()) {
        const name = nameOfColumn(index)
        const about = `${columns[index]?.kind.type} ${String(value)}`
        const shown = one[name]
        expect([about, shown !== undefined, shown === null]).toEqual([about, isShown, isShown && value === null])
        if (shown !== undefined && shown !== null)
          expect([about, shown, fields[index]?.check(shown)]).toEqual([about, shown, []])
        if (!isShown)
          expect(log.lines.some((line) => line.includes('cannot be shown') && line.includes(name))).toBe(true)
      }
    }
    expect(plain(await service.read(path))).toEqual(record)
    await changesNothing(service, async () => {
      const { status, body } = await service.put(path, record)
      expect([record, status, plain(body)]).toEqual([record, isPartial ? 400 : 200, isPartial ? body : record])
    })
    const { parts, ...own } = record
    await changesNothing(service, async () => {
      const { status, body } = await service.patch(path, own)
      expect([own, status, plain(body)]).toEqual([own, 200, record])
    })
    if (isPartial) continue

    const copy = await service.add('/api/item', withoutIds(record))
    expect(withoutIds(copy)).toEqual(withoutIds(record))
    const [stored, again] = [await textsOf(record.id), await textsOf(copy.id)]
    const exact = columns.flatMap(({ kind }, index) => (kind.respells || stored[index] === '-0' ? [] : [index]))
    expect(exact.map((index) => again[index])).toEqual(exact.map((index) => stored[index]))
    expect((await service.delete(`/api/item/${copy.id}`)).status).toBe(204)
  }
  return records
}

/** What a body has set is answered as it is stored, and can be put back. */
export async function checkBodies({ bodies }: ColumnsCase, { service, fields }: ColumnsService): Promise<void> {
  for (const values of bodies) {
    const own = Object.fromEntries(values.map((value, index) => [nameOfColumn(index), value]))
    const made = await service.add('/api/item', { ...own, parts: [own, own] })
    const path = `/api/item/${made.id}`
    for (const one of [made, ...made.parts]) {
      expect(one.partial).toBe(undefined)
      for (const field of fields) {
        const shown = one[field.name]
        if (own[field.name] === null) expect(shown).toBe(null)
        else expect([own, shown, field.check(shown)]).toEqual([own, shown, []])
        expect(shown).toEqual(made[field.name])
      }
    }
    expect(await service.read(path)).toEqual(made)
    await changesNothing(service, async () => expect((await service.put(path, made)).body).toEqual(made))
    const { status, body } = await service.put(path, {
      ...made,
      ...own,
      parts: made.parts.map(({ id }: JsonBody) => ({ id, ...own })),
    })
    expect([own, status, body]).toEqual([own, 200, made])
    expect((await service.delete(path)).status).toBe(204)
  }
}

async function changesNothing(service: ColumnsService['service'], run: () => Promise<unknown>): Promise<void> {
  expect(writesIn(await service.statements(run))).toEqual([])
}

/** No body can send a negative zero. */
export function plain(body: JsonBody): JsonBody {
  return JSON.parse(JSON.stringify(body))
}

function withoutIds({ id, parts, ...own }: JsonBody): JsonBody {
  return { ...own, parts: parts.map(({ id: _, ...part }: JsonBody) => part) }
}
