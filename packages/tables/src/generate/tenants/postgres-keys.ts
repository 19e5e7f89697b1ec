import type { Comparison } from '../../check/comparison.ts'
import { type PlainKeys, plainKeysReason } from '../../check/keys/plain-keys.ts'
import { wholeKeys } from '../../check/keys/whole-keys.ts'
import { type Change, run } from '../change.ts'
import { indexPath } from '../changes/exists.ts'
import type { NameNow } from '../setting.ts'
import type { PlainIndex } from './plain-indexes.ts'

/** Gives the keys of tables the tenant to begin with. */
export function postgresKeys({
  plain,
  indexes,
  comparison,
  nameNow,
}: {
  readonly plain: readonly PlainKeys[]
  readonly indexes: readonly PlainIndex[]
  readonly comparison: Comparison
  readonly nameNow: NameNow
}): readonly Change[] {
  const keys = wholeKeys(plain, comparison, nameNow)
  const dropped = indexes.map(({ table, name, create }) => {
    return { table, up: [`DROP INDEX IF EXISTS ${indexPath(table, name)}`], down: [create] }
  })
  return [...dropped, ...keys].map(({ table, up, down }): Change => {
    return { file: 'ordinary', phase: 'tenant', reason: plainKeysReason(table), up: [run(...up)], down: [run(...down)] }
  })
}
