import type { AnyKysely, Model } from '@fastify-crud/core'
import { toDatabaseNames } from '../../catalogs/database-names.ts'
import { tableLayout } from '../../layout/tables-of-model.ts'
import { type Comparison, compare } from '../comparison.ts'
import { type FoundProblem, problem } from '../table-problem.ts'
import { plainKeys, plainKeysReason } from './plain-keys.ts'
import { wholeKeys } from './whole-keys.ts'

/** One problem for all tables whose keys the model takes as they are, without the tenant. */
export function checkPlainKeys(db: AnyKysely, model: Model, { database, found }: Comparison): readonly FoundProblem[] {
  if (model.tenant?.keys !== 'plain') return []
  const comparison = compare(database, toDatabaseNames(db, tableLayout(model, 'whole')), found)
  const plain = plainKeys(comparison)
  if (plain.length === 0) return []
  const so =
    'the database itself takes rows that name those of another tenant, and no two tenants can have the same id or unique value'
  const what = `${plainKeysReason(...plain.map(({ table }) => table))}: ${so}. Leave out keys: 'plain' in the model`
  const common = { kind: 'key', severity: 'warning', wanted: 'keys that begin with the tenant' } as const
  // SQLite needs new tables for it.
  if (database === 'sqlite') return [problem({ ...common, what: `${what}, and run what \`generate\` then writes` })]
  const fix = wholeKeys(plain, comparison).flatMap(({ up }) => up)
  return [problem({ ...common, what: `${what}, and run what \`generate\` then writes, or this`, fix })]
}
