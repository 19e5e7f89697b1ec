import { printsIso } from '../../connection/postgres/prints-iso.ts'
import { foldsAllLetters } from '../../connection/sqlite/folds-all-letters.ts'
import type { AnyKysely } from '../../query/dialect/database.ts'
import type { Comparing } from '../../reading/comparing.ts'
import type { RecordQuery } from '../../reading/record-query.ts'

/** What a query says of how it compares. */
export type Asking = Pick<RecordQuery, 'foldsCase' | 'dependsOnTypes'>

/** Whether a query is compiled with something that the database has to be asked for. */
export function asksHow({ foldsCase, dependsOnTypes }: Asking): boolean {
  return foldsCase || dependsOnTypes
}

/** What the database says of how it compares, as far as the query needs it. `learnTypes`: see `typesLearner`. */
export async function howToCompare(
  db: AnyKysely,
  { foldsCase, dependsOnTypes }: Asking,
  learnTypes: (() => Promise<void>) | undefined,
): Promise<Comparing> {
  if (dependsOnTypes) await learnTypes?.()
  return {
    foldsAll: foldsCase && (await foldsAllLetters(db)),
    printsIso: !dependsOnTypes || (await printsIso(db)),
  }
}
