import { databaseErrorKind } from '../../connection/database-errors.ts'
import { CrudError, invalid, type ParameterProblem } from '../../errors.ts'
import { cursorProblem } from '../../reading/cursor.ts'
import { type ListQuery, PLAIN_LIST } from '../../reading/list-query.ts'
import type { RecordQuery } from '../../reading/record-query.ts'

/**
 * Reads what a query asks for. Fails with `CRUD_ERR_INVALID` where only the database finds out that it cannot answer the query: it may
 * be too deep, or a column may have another type than its field, such as an enum, to which not every text can be compared.
 */
export async function withQueryRefusals<Read>(
  query: RecordQuery & Partial<ListQuery>,
  read: () => Promise<Read>,
): Promise<Read> {
  try {
    return await read()
  } catch (error) {
    const problem = query === PLAIN_LIST ? undefined : problemFor(query, error)
    throw problem === undefined ? error : new CrudError(invalid([problem]), { cause: error })
  }
}

function problemFor(
  { after, contents }: RecordQuery & Partial<ListQuery>,
  error: unknown,
): ParameterProblem | undefined {
  switch (databaseErrorKind(error)) {
    case 'tooDeep':
      return { parameter: contents === undefined ? 'filter' : 'include', message: TOO_DEEP, keyword: 'maxDepth' }
    case 'value': {
      const place = after === undefined ? 'filter' : 'filter or after'
      const message = `${place}: has a value that does not fit the column that it is compared with`
      return { parameter: 'filter', message, keyword: 'database' }
    }
    default:
      return undefined
  }
}

const TOO_DEEP =
  'the query leads through more relations inside of each other than the database can follow: ask for fewer levels at once'

/** The error of a list whose cursor names a record that is not there any more. */
export function cursorGone(): CrudError {
  return new CrudError(invalid([cursorProblem(GONE)]))
}

const GONE = 'after: the record that it names has gone or has changed; begin with the first page'
