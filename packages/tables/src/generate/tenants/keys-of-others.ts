import { isSameSet } from '../../catalogs/found-indexes.ts'
import type { Comparison } from '../../check/comparison.ts'
import type { PlainKeys } from '../../check/keys/plain-keys.ts'

/** Foreign keys that no descriptor has, and that name a key which is to begin with the tenant: only their author knows what they are for. */
export function keysOfOthers(plain: readonly PlainKeys[], { found }: Comparison): readonly string[] {
  const known = new Set(plain.flatMap(({ foreignKeys }) => foreignKeys))
  return plain.flatMap(({ table, primary, staysPrimary, uniques }) => {
    const gone = [...(primary === undefined || staysPrimary ? [] : [primary]), ...uniques.flatMap((one) => one.found)]
    const keys = found.foreignKeys.filter((key) => {
      return (
        key.target === table.key && !known.has(key) && gone.some(({ columns }) => isSameSet(columns, key.targetColumns))
      )
    })
    return keys.map(({ tableName, columns, targetColumns }) => {
      const what = `${tableName} (${columns.join(', ')}) references ${table.name} (${targetColumns.join(', ')})`
      return `${what}, which is no key any more once keys begin with the tenant: drop this foreign key first`
    })
  })
}
