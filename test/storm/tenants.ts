import { sql } from 'kysely'
import type { TestKysely } from '../support/tables.ts'
import { type Line, textField, tokenOf } from './history.ts'
import type { stormModel } from './storm-model.ts'

/** The key of the tenants' resource. The records of a storm have other ids in each of them. */
export const FAIR = 'fair'

export const FAIRS = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const

/** The tables of a storm have their tenants. */
export async function addFairs(db: TestKysely): Promise<void> {
  await db
    .insertInto(FAIR)
    .values(FAIRS.map((id) => ({ id })))
    .execute()
}

/** Rows that a request of another tenant has written. */
export async function checkFairs(db: TestKysely, model: typeof stormModel, lines: readonly Line[]): Promise<string[]> {
  const fairOf = new Map(lines.flatMap((line) => (line.line === 'sent' ? [[line.token, line.tenant] as const] : [])))
  const wrong: string[] = []
  for (const { key, table } of model.resources.values()) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(db)
    for (const row of rows) {
      const fair = fairOf.get(tokenOf(String(row[textField(key)])) ?? '')
      if (fair !== undefined && FAIRS[fair] !== row[`${FAIR}Id`])
        wrong.push(`${key} ${JSON.stringify(row)} is of fair ${fair}`)
    }
  }
  return wrong
}
