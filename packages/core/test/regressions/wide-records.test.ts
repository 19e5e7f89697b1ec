import { createStore, defineResources, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const FIELDS = Array.from({ length: 40 }, (_, index) => `field${index}`)
const fields = Object.fromEntries(FIELDS.map((name) => [name, Type.Integer({ default: 0 })]))

const resources = defineResources({
  sheet: { fields: { title: Type.String() }, relations: { rows: owns.many('row') } },
  row: { fields, relations: { sheet: ownedBy('sheet') } },
})

function sheetsOf({ db }: OpenDatabase) {
  return createStore({ db, resources }).resource('sheet')
}

describeOnBoth('a record with 40 fields', (database) => {
  let open: OpenDatabase
  let sheets: ReturnType<typeof sheetsOf>

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
    sheets = sheetsOf(open)
  })
  afterAll(() => open.close())

  async function sheetWithRows(count: number) {
    const rows = Array.from({ length: count }, (_, index) => ({ field0: index }))
    return sheets.create({ title: 'A sheet', rows })
  }

  test.each(FIELDS)('has its %s changed, and nothing else', async (name) => {
    const { id, rows } = await sheetWithRows(1)
    const changed = await sheets.patch(id, { rows: [{ id: rows[0]?.id as number, [name]: 7 }] })
    expect(changed.rows).toEqual([{ ...rows[0], [name]: 7 }])
  })

  test.each([2, 3, 12])('%d of them each have another field changed, and two have the same', async (count) => {
    const { id, rows } = await sheetWithRows(count)
    const wanted = rows.map((row, index) => ({ ...row, [`field${39 - (index % 11)}`]: 100 + index }))
    expect((await sheets.replace(id, { title: 'A sheet', rows: wanted })).rows).toEqual(wanted)
    expect((await sheets.find(id)).rows).toEqual(wanted)
  })
})
