import { sql } from 'kysely'
import type { Comparing } from '../../asking/comparing.ts'
import { type Condition, unionsIn } from '../../asking/condition.ts'
import type { QueryContext } from '../context.ts'
import { inside } from '../rows/inside.ts'
import { rowId } from '../text/id-sql-of.ts'
import { partsOf } from '../text/row-value.ts'
import { join } from '../text/sql-text.ts'
import { storedRows } from '../text/stored-rows.ts'
import { filterSql, matchOf } from './filter-sql.ts'
import { type Candidates, candidatesInTable } from './search-candidates.ts'

/** The rows that an index finds for the words of a search. Undefined where there is none, or no word is looked up in the rows alone. */
export function candidatesOf(
  context: QueryContext,
  condition: Condition,
  alias: string,
  comparing: Comparing,
): Candidates | undefined {
  if (!comparing.findsParts) return undefined
  // One of several conditions has a word that may also be in a related record.
  const union = unionsIn(condition).find(({ conditions }) => conditions.length === 1)
  if (union === undefined) return undefined
  const { resource, conditions } = union
  const words = conditions[0] as Condition
  if (context.dialect.hasSearchTables)
    return candidatesInTable(context, resource, alias, words, matchOf('', condition, words))
  const row = inside(alias)
  const rows = storedRows(context, resource, row).from(filterSql(context, words, row, comparing, '', condition))
  const ids = sql`select ${join(partsOf(rowId(resource, row)))} ${rows}`
  return { ids, id: rowId(resource, alias), isFound: undefined }
}
