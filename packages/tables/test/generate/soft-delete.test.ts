import { defineResources, neededBy, needs, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { useMigrations } from './use-migrations.ts'

const desk = (softDelete: object) =>
  defineResources({
    invoice: {
      ...softDelete,
      fields: { number: Type.String() },
      relations: { address: owns.one('address'), slot: needs.one('slot', { unique: true }) },
      unique: [['number']],
    },
    address: { ...softDelete, fields: { city: Type.String() }, relations: { invoice: ownedBy('invoice') } },
    slot: { fields: { name: Type.String() }, relations: { invoice: neededBy.one('invoice') } },
  })

const plain = desk({})
const soft = desk({ softDelete: 'deletedAt' })

const rows = {
  slot: [{ name: 'a' }, { name: 'b' }],
  invoice: [
    { number: '1', slotId: 1 },
    { number: '2', slotId: 2 },
  ],
  address: [{ city: 'W', invoiceId: 1 }],
}

describeOnBoth('generateMigrations, for softDelete,', (setup) => {
  const { database, migrate } = useMigrations(setup)
  const run = (text: string) => sql.raw(text).execute(database().db)

  test('adds the column and makes unique keys partial, up and down, with all rows', async () => {
    const { rows: now, byHand } = await migrate(plain, rows, soft)
    expect(byHand).toEqual([])
    expect(now).toMatchObject({
      invoice: [
        { number: '1', deletedAt: null },
        { number: '2', deletedAt: null },
      ],
      address: [{ city: 'W', deletedAt: null }],
    })
    await run(`update invoice set "deletedAt" = '2026-01-01T00:00:00.000Z' where number = '1'`)
    await run(`insert into invoice (number, "slotId") values ('1', 1)`)
    await expect(run(`insert into invoice (number, "slotId") values ('1', 1)`)).rejects.toThrow(/unique/i)
  })

  test('makes unique keys hold for all rows again', async () => {
    const { rows: now } = await migrate(soft, rows, plain)
    expect(now.invoice).toHaveLength(2)
    await run(`update invoice set "deletedAt" = '2026-01-01T00:00:00.000Z' where number = '1'`)
    await expect(run(`insert into invoice (number, "slotId") values ('1', 1)`)).rejects.toThrow(/unique/i)
  })
})
