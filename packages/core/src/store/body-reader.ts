import { mayHide } from '../asking/policies/rights.ts'
import { CrudError, invalid, type Problem } from '../errors.ts'
import type { Address } from '../model/collection-path.ts'
import { namesNoOwner } from '../model/collection-path.ts'
import { limitsOf } from '../model/descriptors/default-limits.ts'
import type { Id } from '../model/ids/id-kind.ts'
import { holdsOwner } from '../model/ids/short-id.ts'
import type { Model } from '../model/model.ts'
import type { BodyOperation } from '../model/operations.ts'
import { type LongNumbers, losesDigitsAt, NO_LONG_NUMBERS, roundNumbers } from '../model/values/long-number.ts'
import {
  type Draft,
  type InvisibleResources,
  type MutableDraft,
  NOTHING_HIDDEN,
  readingOf,
} from '../planning/body/draft.ts'
import { type BodyLimits, checkSize, HOLDS_LONG_NUMBERS } from '../planning/body/faults.ts'
import { withPathId } from '../planning/body/id-of-body.ts'
import { ownerOfNew, ownersInId, type SaidOwner, takeOwners } from '../planning/body/owners-in-body.ts'
import { readPlace } from '../planning/body/patch-marks.ts'
import { readBody } from '../planning/body/read-body.ts'
import { checkNewId, giveIds } from '../planning/public/plan-create.ts'
import { checkId, requireId } from '../planning/public/plan-update.ts'
import type { RecordOwner } from '../planning/rows.ts'
import { inPortions, OF_RECORDS } from '../session/session.ts'
import type { QueryContext } from '../sql/context.ts'

/** A body, and what it is for. `id`: the record's, if the path names it. */
export interface BodyOf {
  readonly at: Address
  readonly operation: BodyOperation
  readonly body: unknown
  readonly id: Id | undefined
  readonly hidden: InvisibleResources | undefined
  /** The body is for all records that a filter matches, and names none. Default: false. */
  readonly isForMany?: boolean
}

/** The bodies of a write of many records, in one array; or the one body of such a write. */
export interface BodiesOf {
  readonly at: Address
  readonly body: unknown
  /** What each of them is for. `id`: its record's, if the request has found it. */
  readonly meaning: (index: number) => { readonly operation: BodyOperation; readonly id?: Id }
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

/** A body that is not too large, with its long numbers rounded. */
interface SizedBody {
  readonly body: unknown
  readonly long: LongNumbers
  rounded(): void
}

/** Reads the bodies of a store's writes. */
export interface BodyReader {
  /** Fails with `CRUD_ERR_INVALID` if anything is wrong with it. New records have the ids that the library assigns. */
  read(given: BodyOf): BodyRead
  /** The same for each of many, with turns of the event loop between. */
  readAll(given: BodiesOf): Promise<readonly BodyRead[]>
  /** The owner that it names for a new record. Fails as `read` does. */
  ownerIn(given: BodyOf): RecordOwner | undefined
  /** Everything that is wrong with it. */
  problemsOf(given: BodyOf): readonly Problem[]
  problemsOfAll(given: BodiesOf): readonly Problem[]
  /** As far as they can be read, and everything that is wrong with them. */
  glanceAll(given: BodiesOf): Promise<{ readonly read: readonly BodyRead[]; readonly problems: readonly Problem[] }>
}

const NONE: readonly never[] = []
const nothing = (): void => {}

export function bodyReader(
  model: Model,
  limits: Partial<BodyLimits> | undefined,
  { rights, fieldRights }: QueryContext,
): BodyReader {
  const bodyLimits = limitsOf(['maxItems', 'maxDepth'], limits)
  const partlyHidden = new Set([...model.resources.values()].filter((resource) => mayHide(rights, resource)))

  /** The body to read, unless it is too large, which is a problem. `rounded` adds those of numbers, behind others. */
  function sized(body: unknown, problems: Problem[]): SizedBody | undefined {
    const found = checkSize(body, bodyLimits)
    if (found === undefined) return { body, long: NO_LONG_NUMBERS, rounded: nothing }
    if (found !== HOLDS_LONG_NUMBERS) {
      problems.push(found)
      return undefined
    }
    const { body: read, long } = roundNumbers(body)
    const rounded = () => {
      // An id or an integer that is too large is refused as such.
      const places = new Set(problems.map(({ pointer }) => pointer))
      problems.push(...[...long.keys()].filter((pointer) => !places.has(pointer)).map(losesDigitsAt))
    }
    return { body: read, long, rounded }
  }

  /** Adds every problem to the list. The draft is complete only if there is none. */
  function readOne(given: BodyOf, long: LongNumbers, pointer: string, problems: Problem[]): BodyRead {
    const { at, operation, body, id, hidden = NOTHING_HIDDEN } = given
    const reading = readingOf(operation, { hidden, partlyHidden, fieldRights, long })
    const { resource, isTopLevel } = at.path
    const own: Problem[] = []
    const {
      below: record,
      said,
      before,
    } = isTopLevel ? takeOwners(resource, operation, body, own) : { below: body, said: NONE, before: undefined }
    const whole = withPathId(resource, operation, record, id)
    const draft = readBody(resource, operation, whole, pointer, problems, reading)
    const place = before === undefined ? undefined : readPlace(resource.id, before, pointer, reading, problems)
    if (place !== undefined) (draft as MutableDraft).place = { ...place, isWhole: true }
    // What is created by one of many is read as what a body creates below its record.
    if (operation === 'create' && pointer === '') checkNewId(draft, id, own)
    else if (given.isForMany === true) refuseId(draft, own)
    else if (operation !== 'create' && id !== undefined) checkId(draft, id, own)
    else if (operation !== 'create') requireId(draft, own)
    const owner = ownerSaid(given, draft, said, own)
    problems.push(...own.map((one) => below(pointer, one)))
    return { draft, said: said.map((one) => below(pointer, one)), owner }
  }

  /** The owner that a body has to name, as its path does not. */
  function ownerSaid(
    { at, operation, id }: BodyOf,
    draft: Draft,
    said: readonly SaidOwner[],
    problems: Problem[],
  ): RecordOwner | undefined {
    const { resource } = at.path
    if (!namesNoOwner(at.path)) return undefined
    if (operation === 'create') {
      const saidInAll = id === undefined ? said : [...ownersInId(resource, id, ''), ...said]
      return ownerOfNew(resource, saidInAll, problems)
    }
    const needsOwner = id === undefined && holdsOwner(resource) && draft.id !== undefined
    return needsOwner ? ownerOfNew(resource, said, problems) : undefined
  }

  /** The bodies, to be read one after the other; undefined if they are too large. */
  function bodiesIn({ at, body, meaning, hidden }: BodiesOf, problems: Problem[]) {
    const all = sized(body, problems)
    if (all === undefined) return undefined
    const { long, rounded } = all
    const isArray = Array.isArray(all.body)
    const bodies: readonly unknown[] = isArray ? (all.body as readonly unknown[]) : [all.body]
    const read = (one: unknown, index: number) =>
      readOne({ at, body: one, hidden, id: undefined, ...meaning(index) }, long, isArray ? `/${index}` : '', problems)
    return { bodies, read, rounded }
  }

  async function readAll(given: BodiesOf, problems: Problem[]): Promise<readonly BodyRead[] | undefined> {
    const all = bodiesIn(given, problems)
    const read: BodyRead[] = []
    await inPortions(OF_RECORDS, all?.bodies ?? NONE, (some, first) => {
      for (const [index, one] of some.entries()) read.push(all?.read(one, first + index) as BodyRead)
    })
    all?.rounded()
    return all && read
  }

  function readSized(given: BodyOf, problems: Problem[]): BodyRead | undefined {
    const one = sized(given.body, problems)
    const read = one && readOne({ ...given, body: one.body }, one.long, '', problems)
    one?.rounded()
    return read
  }

  function readWell(given: BodyOf): BodyRead {
    const problems: Problem[] = []
    const read = readSized(given, problems)
    if (read === undefined || isWrong(problems, [read], given.isForMany)) throw new CrudError(invalid(problems))
    return read
  }

  return {
    read(given) {
      const read = readWell(given)
      giveIds(read.draft, given.operation === 'create' ? given.id : undefined)
      return read
    },
    async readAll(given) {
      const problems: Problem[] = []
      const all = await readAll(given, problems)
      if (all === undefined || isWrong(problems, all)) throw new CrudError(invalid(problems))
      for (const { draft } of all) giveIds(draft, undefined)
      return all
    },
    problemsOfAll(given) {
      const problems: Problem[] = []
      const all = bodiesIn(given, problems)
      const read = all?.bodies.map(all.read)
      all?.rounded()
      return read === undefined || isWrong(problems, read) ? problems : NONE
    },
    async glanceAll(given) {
      const problems: Problem[] = []
      return { read: (await readAll(given, problems)) ?? NONE, problems }
    },
    ownerIn: (given) => readWell(given).owner,
    problemsOf(given) {
      const problems: Problem[] = []
      const read = readSized(given, problems)
      return read === undefined || isWrong(problems, [read], given.isForMany) ? problems : NONE
    },
  }
}

/** Whether something is wrong with bodies, whatever their records show. Records that a filter finds may each show
 * another value. */
function isWrong(problems: readonly Problem[], read: readonly BodyRead[], isForMany = false): boolean {
  const unfit = isForMany ? [] : read.flatMap(({ draft }) => draft.reading.unfit)
  return problems.length > unfit.length
}

/** Does a write. Where there is no record, nothing shows what does not fit. */
export async function unlessUnfit<Result>(read: readonly BodyRead[], work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const unfit = read.flatMap(({ draft }) => draft.reading.unfit)
    const isMissing = error instanceof CrudError && error.code === 'CRUD_ERR_NOT_FOUND'
    throw isMissing && unfit.length > 0 ? new CrudError(invalid(unfit)) : error
  }
}

function refuseId({ body }: Draft, problems: Problem[]): void {
  if (body.id === undefined) return
  problems.push({ pointer: '/id', message: 'leave it out: the filter says which records are written', keyword: 'not' })
}

/** What is said of a place in one of many bodies. */
function below<Placed extends { readonly pointer?: string }>(pointer: string, one: Placed): Placed {
  return one.pointer === undefined || pointer === '' ? one : { ...one, pointer: pointer + one.pointer }
}
