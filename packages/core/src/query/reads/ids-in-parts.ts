import { sql } from 'kysely'
import type { QueryContext } from '../context.ts'
import { orderBy } from '../filters/sort-sql.ts'
import { partsOf } from '../text/row-value.ts'
import { join, type Sql } from '../text/sql-text.ts'
import type { List, Search } from './listed-rows.ts'

/**
 * Where an index finds more rows than this for a search, those of a page are read in the order of the list, of which few go by before the
 * page is full. To look up so many takes some milliseconds.
 */
const MOST_CANDIDATES = 1_000

const CANDIDATES = sql.id('crud_candidates')

/** Rows of a list. */
interface Part {
  readonly conditions: readonly Sql[]
  /** The keys in which they differ, by their indexes. */
  readonly differIn: readonly number[]
  /** How many of them the page may have. */
  readonly limit: Sql
}

/** The ids of a page. Its rows are in several parts, each of which is read from its beginning, and no further than the page goes. */
export function idsInParts(context: QueryContext, list: List, limit: Sql, offset: Sql): Sql {
  const { source, id, keys, search } = list
  const names = keys.map((_, index) => `crud_key${index}`)
  const idNames = partsOf(id).map((_, index) => `crud_id${index}`)
  const values = join(keys.map(({ value }, index) => sql`${value} as ${sql.id(names[index] as string)}`))
  const ids = join(partsOf(id).map((part, index) => sql`${part} as ${sql.id(idNames[index] as string)}`))
  const parts = partsOfPage(context, list, sql`${limit} + ${offset}`).map(({ conditions, differIn, limit }) => {
    // SQLite does not see that a sort by a value which all rows have is none.
    const order = join(orderBy(differIn.map((index) => keys[index] as (typeof keys)[number])))
    const rows = sql`select ${ids}, ${values} ${source.from(...conditions)} order by ${order} limit ${limit}`
    return sql`select * from (${rows}) as ${sql.id('crud_part')}`
  })
  const inOrder = orderBy(keys.map((key, index) => ({ ...key, value: sql.id(names[index] as string) })))
  const found = sql`select ${join(idNames.map((name) => sql`${sql.id(name)}`))} from (${join(parts, sql` union all `)}) as ${sql.id('crud_found')} order by ${join(inOrder)} limit ${limit} offset ${offset}`
  return search === undefined
    ? found
    : sql`with ${CANDIDATES} as materialized (${firstCandidates(context, search)}) ${found}`
}

function partsOfPage(
  { dialect }: QueryContext,
  { keys, conditions, behind, search }: List,
  limit: Sql,
): readonly Part[] {
  const ranges = behind?.ranges ?? [{ condition: undefined, differIn: [...keys.keys()] }]
  return ranges.flatMap(({ condition, differIn }) => {
    const inRange = condition === undefined ? [] : [condition]
    if (search === undefined) return [{ conditions: [...conditions, ...inRange], differIn, limit }]
    const areMany = sql`(select count(*) from ${CANDIDATES}) > ${sql.lit(MOST_CANDIDATES)}`
    const isCandidate = dialect.isFound(search.candidates.key, sql`select * from ${CANDIDATES}`)
    const all = [...search.conditions, ...inRange]
    return [
      { conditions: [...all, isCandidate], differIn, limit: sql`case when ${areMany} then 0 else ${limit} end` },
      { conditions: all, differIn, limit: sql`case when ${areMany} then ${limit} else 0 end` },
    ]
  })
}

/** One more tells that there are too many. */
function firstCandidates({ dialect }: QueryContext, { candidates }: Search): Sql {
  return dialect.first(candidates.keys, sql.lit(MOST_CANDIDATES + 1))
}
