import type { Comparing } from '../../asking/comparing.ts'
import { unionsIn } from '../../asking/condition.ts'
import type { ListQuery } from '../../asking/list-query.ts'
import type { RecordQuery } from '../../asking/record-query.ts'
import { printsIso } from '../../session/postgres/prints-iso.ts'
import { foldsAllLetters } from '../../session/sqlite/folds-all-letters.ts'
import type { QueryContext } from '../../sql/context.ts'
import { findsParts } from './finds-parts.ts'

/** What a query says of how it compares. */
export type Asking = Pick<RecordQuery, 'foldsCase' | 'dependsOnTypes'> & Partial<Pick<ListQuery, 'condition'>>

/** Whether a query is compiled with something that the database has to be asked for. */
export function asksHow({ foldsCase, dependsOnTypes }: Asking): boolean {
  return foldsCase || dependsOnTypes
}

/** What the database says of how it compares, as far as the query needs it. `learnTypes`: see `typesLearner`. */
export async function howToCompare(
  context: QueryContext,
  { foldsCase, dependsOnTypes, condition }: Asking,
  learnTypes: (() => Promise<void>) | undefined,
): Promise<Comparing> {
  const { db } = context
  const searched = condition && unionsIn(condition)[0]?.resource
  if (dependsOnTypes) await learnTypes?.()
  return {
    foldsAll: foldsCase && (await foldsAllLetters(db)),
    printsIso: !dependsOnTypes || (await printsIso(db)),
    findsParts: searched !== undefined && (await findsParts(context, searched)),
  }
}
