import { cursorProblem } from '../../asking/cursor.ts'
import { type ListQuery, PLAIN_LIST } from '../../asking/list-query.ts'
import { PLAIN_RECORD, type RecordQuery } from '../../asking/record-query.ts'
import { CrudError, invalid, type ParameterProblem } from '../../errors.ts'
import { type DatabaseErrorKind, databaseErrorKind } from '../../session/database-errors.ts'

/**
 * The error of a read that the database could not answer. A CrudError where that is the query's fault: the answer may be so large that the
 * database cannot build it, the query too deep, or a column of another type than its field, such as an enum, to which not every text
 * can be compared. Else the driver's error.
 */
export function refusalOfRead(
  error: unknown,
  query: RecordQuery & Partial<ListQuery>,
  tooLarge: () => CrudError,
): unknown {
  const kind = databaseErrorKind(error)
  if (kind === 'tooLarge') return tooLarge()
  const problem = query === PLAIN_LIST || query === PLAIN_RECORD ? undefined : problemFor(query, kind)
  return problem === undefined ? error : new CrudError(invalid([problem]), { cause: error })
}

function problemFor(
  { after, contents }: RecordQuery & Partial<ListQuery>,
  kind: DatabaseErrorKind,
): ParameterProblem | undefined {
  switch (kind) {
    case 'tooDeep':
      return { parameter: contents === undefined ? 'filter' : 'include', message: TOO_DEEP, keyword: 'maxDepth' }
    case 'value': {
      const place = after === undefined ? 'filter' : 'filter or after'
      const message = `${place}: has a value that does not fit the column that it is compared with`
      return { parameter: 'filter', message, keyword: 'database' }
    }
    case 'incomparable':
      return { parameter: 'filter', message: INCOMPARABLE, keyword: 'comparable' }
    default:
      return undefined
  }
}

const INCOMPARABLE = 'filter: compares a column whose type has no equality; it can only be asked for null'
const TOO_DEEP = 'the query is nested too deeply for this database: ask for fewer levels'

/** The error of a list whose cursor names a record that is not there any more. */
export function cursorGone(): CrudError {
  return new CrudError(invalid([cursorProblem(GONE)]))
}

const GONE = 'after: its record was deleted or changed; start again from the first page'
