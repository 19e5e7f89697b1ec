import type { Comparing } from '../../asking/condition.ts'
import type { GroupQuery } from '../../asking/groups/group-query.ts'
import { CrudError, invalid, tooLarge } from '../../errors.ts'
import type { Address } from '../../model/collection-path.ts'
import { databaseErrorKind } from '../../session/database-errors.ts'
import { UNSHOWN } from '../../sql/dialect/dialect.ts'
import type { ReadStatements } from '../../sql/read-statements.ts'
import { TOO_MANY_ROWS } from '../../sql/reads/groups-query.ts'
import { ownerValues } from '../../sql/rows/path-condition.ts'
import type { JsonText } from '../../sql/text/prepare.ts'
import { sendable } from '../../writing/reads/client-json.ts'
import type { ValueReader } from '../../writing/reads/read-record.ts'
import { ownerNotFound } from '../../writing/vacancy.ts'
import type { PageRange } from '../types/read-options.ts'

/**
 * Groups as a client sees them, `{"rows":[…],"count":n}`, with null for a value that no answer can show. Fails with
 * `CRUD_ERR_NOT_FOUND` if one of the owners does not exist, with `CRUD_ERR_INVALID` if there are too many rows to
 * group, and with `CRUD_ERR_TOO_LARGE`.
 */
export async function groupsPage(
  value: ValueReader,
  statements: ReadStatements,
  at: Address,
  range: PageRange,
  query: GroupQuery,
  comparing: Comparing,
): Promise<string> {
  const values = { ...range, ...ownerValues(at.owners), ...statements.groupValues(query) }
  let json: JsonText
  try {
    json = await value<string>(statements.groups(at.path, query, comparing), values)
  } catch (error) {
    throw refusalOfGroups(error)
  }
  if (json === undefined || json === null) throw new CrudError(ownerNotFound(at))
  if (json === TOO_MANY_ROWS) throw new CrudError(invalid([tooManyRows(query)]))
  const answer = sendable(json, statements.maxAnswer)
  if (answer === undefined)
    throw new CrudError(tooLarge('this page', statements.maxAnswer, "ask for fewer groups with 'limit'"))
  return answer.replaceAll(UNSHOWN, 'null')
}

function tooManyRows({ mostRows }: GroupQuery) {
  const message = `filter: matches more than ${mostRows} records, which is more than are grouped (limits.groupRows)`
  return { parameter: 'filter', message, keyword: 'groupRows', params: { limit: mostRows } }
}

/** A CrudError where the database cannot compute what the query asks for; else the driver's error. */
function refusalOfGroups(error: unknown): unknown {
  const kind = databaseErrorKind(error)
  if (kind === 'incomparable') return refusal('by', 'a column whose type has no equality or no order')
  const isOverflow = error instanceof Error && error.message.includes(SQLITE_OVERFLOW)
  if (isOverflow) return refusal('values', 'a sum that is beyond the 64 bits in which SQLite adds integers')
  return kind === 'value' ? refusal('filter', 'a value that does not fit the column that it is compared with') : error

  function refusal(parameter: string, what: string): CrudError {
    const message = `${parameter}: has ${what}`
    return new CrudError(invalid([{ parameter, message, keyword: 'database' }]), { cause: error })
  }
}

const SQLITE_OVERFLOW = 'integer overflow'
