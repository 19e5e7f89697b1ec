import { CrudError, invalid, type Problem } from '../errors.ts'
import type { Address } from '../model/address.ts'
import { namesNoOwner } from '../model/collection-path.ts'
import { limitsOf } from '../model/descriptors/default-limits.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { holdsOwner } from '../model/ids/short-id.ts'
import type { Model } from '../model/model.ts'
import type { BodyOperation } from '../model/operations.ts'
import { roundBigints } from '../model/values/round-bigints.ts'
import { type Draft, type InvisibleResources, NOTHING_HIDDEN, readingOf } from '../plan/body/draft.ts'
import { withPathId } from '../plan/body/id-of-body.ts'
import { type BodyLimits, checkSize, HOLDS_BIGINTS } from '../plan/body/limits.ts'
import { ownerOfNew, ownersInId, type SaidOwner, takeOwners } from '../plan/body/owners-in-body.ts'
import { readBody } from '../plan/body/read-body.ts'
import { checkNewId, giveIds } from '../plan/public/plan-create.ts'
import { checkId, requireId } from '../plan/public/plan-update.ts'
import type { RecordOwner } from '../plan/rows.ts'
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

/** What a body asks for. */
export interface BodyRead {
  readonly draft: Draft
  /** What it says of owners that the request does not name. */
  readonly said: readonly SaidOwner[]
  /** The owner of a new record, if the request does not name it. */
  readonly owner: RecordOwner | undefined
}

/** Reads the bodies of a store's writes. */
interface BodyReader {
  /** Fails with `CRUD_ERR_INVALID` if anything is wrong with it. New records have the ids that the library assigns. */
  read(given: BodyOf): BodyRead
  /** The owner that it names for a new record. Fails as `read` does. */
  ownerIn(given: BodyOf): RecordOwner | undefined
  /** Everything that is wrong with it. */
  problemsOf(given: BodyOf): readonly Problem[]
}

const NONE: readonly never[] = []

export function bodyReader(
  model: Model,
  limits: Partial<BodyLimits> | undefined,
  { rights, fieldRights }: QueryContext,
): BodyReader {
  const bodyLimits = limitsOf(['maxItems', 'maxDepth'], limits)
  const partlyHidden = new Set([...model.resources.values()].filter((resource) => mayHide(rights, resource)))

  /** Adds every problem to the list. The draft is complete only if there is none. */
  function readAll(given: BodyOf, problems: Problem[]): BodyRead | undefined {
    const { at, operation, body, id, hidden = NOTHING_HIDDEN } = given
    const found = checkSize(body, bodyLimits)
    if (found === HOLDS_BIGINTS) {
      const rounded = roundBigints(body)
      const read = readAll({ ...given, body: rounded.body }, problems)
      // An id or an integer that is too large is refused as such.
      const places = new Set(problems.map(({ pointer }) => pointer))
      problems.push(...rounded.problems.filter(({ pointer }) => !places.has(pointer)))
      return read
    }
    if (found !== undefined) {
      problems.push(found)
      return undefined
    }
    const reading = readingOf(operation, { hidden, partlyHidden, fieldRights })
    const { resource, isTopLevel } = at.path
    const { below, said } = isTopLevel ? takeOwners(resource, body, problems) : { below: body, said: NONE }
    const draft = readBody(resource, operation, withPathId(resource, operation, below, id), '', problems, reading)
    if (operation === 'create') checkNewId(draft, id, problems)
    else if (id !== undefined) checkId(draft, id, problems)
    else requireId(draft, problems)
    if (!namesNoOwner(at.path)) return { draft, said, owner: undefined }
    if (operation === 'create') {
      const saidInAll = id === undefined ? said : [...ownersInId(resource, id, ''), ...said]
      return { draft, said, owner: ownerOfNew(resource, saidInAll, problems) }
    }
    const needsOwner = id === undefined && holdsOwner(resource) && draft.id !== undefined
    return { draft, said, owner: needsOwner ? ownerOfNew(resource, said, problems) : undefined }
  }

  function readWell(given: BodyOf): BodyRead {
    const problems: Problem[] = []
    const read = readAll(given, problems)
    if (read === undefined || problems.length > 0) throw new CrudError(invalid(problems))
    return read
  }

  return {
    read(given) {
      const read = readWell(given)
      giveIds(read.draft, given.operation === 'create' ? given.id : undefined)
      return read
    },
    ownerIn: (given) => readWell(given).owner,
    problemsOf(given) {
      const problems: Problem[] = []
      readAll(given, problems)
      return problems
    },
  }
}
