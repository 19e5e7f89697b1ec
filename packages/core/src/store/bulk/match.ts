import type { Comparing } from '../../asking/comparing.ts'
import type { ListQuery } from '../../asking/list-query.ts'
import type { ParameterProblem } from '../../errors.ts'
import type { Address } from '../../model/address.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { wholeId } from '../../model/ids/short-id.ts'
import type { Session } from '../../session/session.ts'
import type { ReadStatements } from '../../sql/read-statements.ts'
import type { ReadValue } from '../../writing/reads/read-record.ts'
import { readPage } from '../read/read-page.ts'

/** The records that a request means by a filter. */
export interface Match {
  readonly ids: readonly Id[]
  /** Which records match, as the connection of a write sees it. */
  again(session: Session): Promise<ReadonlySet<Id>>
}

/** A filter that says nothing is likely to be a mistake, and would write all records. */
export const MATCHES_ALL: ParameterProblem = {
  parameter: 'filter',
  message: 'filter: has to say which records are written, and this one says nothing',
  keyword: 'required',
  params: { missingProperty: 'filter' },
}

/** Finds the records that a query matches, but no more than `most`. The query selects their ids. */
export async function matchOf(
  value: ReadValue,
  statements: ReadStatements,
  at: Address,
  most: number,
  query: ListQuery,
  comparing: Comparing,
): Promise<Match> {
  const { resource, isTopLevel } = at.path
  const idsOn = async (on: ReadValue): Promise<readonly Id[]> => {
    const page = await readPage(on, statements, at, { limit: most, offset: 0 }, query, comparing)
    const { rows } = JSON.parse(page) as { readonly rows: readonly { readonly id: Id }[] }
    return rows.map(({ id }) => (isTopLevel ? id : wholeId(resource, id, at.owners.at(-1))))
  }
  return {
    ids: await idsOn(value),
    again: async (session) => new Set(await idsOn(session.value)),
  }
}
