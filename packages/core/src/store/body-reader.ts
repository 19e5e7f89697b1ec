import { CrudError, invalid, type Problem } from '../errors.ts'
import type { Address } from '../model/address.ts'
import { limitsOf } from '../model/descriptors/default-limits.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Model } from '../model/model.ts'
import type { BodyOperation } from '../model/operations.ts'
import { roundBigints } from '../model/values/round-bigints.ts'
import { type Draft, type InvisibleResources, NOTHING_HIDDEN, readingOf } from '../plan/body/draft.ts'
import { withPathId } from '../plan/body/id-of-body.ts'
import { type BodyLimits, checkSize, HOLDS_BIGINTS } from '../plan/body/limits.ts'
import { readBody } from '../plan/body/read-body.ts'
import { checkNewId, giveIds } from '../plan/public/plan-create.ts'
import { checkId, requireId } from '../plan/public/plan-update.ts'
import { mayHide } from '../policies/rights.ts'
import type { QueryContext } from '../query/context.ts'

/** A body, and what it is for. `id`: the record's, if the path names it. */
export interface BodyOf {
  readonly at: Address
  readonly operation: BodyOperation
  readonly body: unknown
  readonly id: Id | undefined
  readonly hidden: InvisibleResources | undefined
}

/** Reads the bodies of a store's writes. */
interface BodyReader {
  /** Fails with `CRUD_ERR_INVALID` if anything is wrong with it. New records have the ids that the library assigns. */
  draftOf(given: BodyOf): Draft
  /** Everything that is wrong with it. */
  problemsOf(given: BodyOf): readonly Problem[]
}

export function bodyReader(
  model: Model,
  limits: Partial<BodyLimits> | undefined,
  { rights, fieldRights }: QueryContext,
): BodyReader {
  const bodyLimits = limitsOf(['maxItems', 'maxDepth'], limits)
  const partlyHidden = new Set([...model.resources.values()].filter((resource) => mayHide(rights, resource)))

  /** Adds every problem to the list. The draft is complete only if there is none. */
  function readDraft(given: BodyOf, problems: Problem[]): Draft | undefined {
    const { at, operation, body, id, hidden = NOTHING_HIDDEN } = given
    const found = checkSize(body, bodyLimits)
    if (found === HOLDS_BIGINTS) {
      const rounded = roundBigints(body)
      const draft = readDraft({ ...given, body: rounded.body }, problems)
      // An id or an integer that is too large is refused as such.
      const places = new Set(problems.map(({ pointer }) => pointer))
      problems.push(...rounded.problems.filter(({ pointer }) => !places.has(pointer)))
      return draft
    }
    if (found !== undefined) {
      problems.push(found)
      return undefined
    }
    const reading = readingOf(operation, { hidden, partlyHidden, fieldRights })
    const { resource } = at.path
    const draft = readBody(resource, operation, withPathId(resource, operation, body, id), '', problems, reading)
    if (operation === 'create') checkNewId(draft, id, problems)
    else if (id !== undefined) checkId(draft, id, problems)
    else requireId(draft, problems)
    return draft
  }

  return {
    draftOf(given) {
      const problems: Problem[] = []
      const draft = readDraft(given, problems)
      if (draft === undefined || problems.length > 0) throw new CrudError(invalid(problems))
      giveIds(draft, given.operation === 'create' ? given.id : undefined)
      return draft
    },
    problemsOf(given) {
      const problems: Problem[] = []
      readDraft(given, problems)
      return problems
    },
  }
}
