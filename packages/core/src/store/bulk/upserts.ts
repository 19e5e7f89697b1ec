import { type BodyProblem, busy, CrudError, invalid, shortened, withArticle } from '../../errors.ts'
import type { Address } from '../../model/collection-path.ts'
import type { FieldRights } from '../../model/field-rights.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Resource, UniqueKey } from '../../model/model.ts'
import { type InvisibleResources, NOTHING_HIDDEN } from '../../planning/body/draft.ts'
import { pointerTo } from '../../planning/body/faults.ts'
import { canCollide, heldOf, memberPointer, type UniqueValues } from '../../planning/decide/unique-values.ts'
import { sameValue } from '../../planning/diff/changes.ts'
import { saidByKeys } from '../../planning/diff/move.ts'
import type { RecordOwner } from '../../planning/rows.ts'
import { HolderChangedError } from '../../writing/bulk/compare-many.ts'
import { lookUpOutside } from '../../writing/plan-write.ts'
import { ownerInPath } from '../../writing/vacancy.ts'
import type { BulkRecord, WriteParts, Written } from '../../writing/write-call.ts'
import type { BodyRead } from '../body-reader.ts'
import { checkIds, checkWritable } from '../checks/check-ids.ts'
import type { Asked } from '../types/write-options.ts'
import type { BulkParts } from './bulk-records.ts'
import { toCreates, toUpdateBy } from './bulk-records.ts'
import { OwnersChangedError } from './known-owners.ts'

interface UpsertParts extends BulkParts {
  run(at: Address, records: readonly BulkRecord[], asked: Asked, verb: 'replace'): Promise<Written>
}

/** A write by unique values, and which of its records were there. */
interface WrittenByKey extends Written {
  readonly found: readonly (Id | undefined)[]
}

/** How often the records that have the values are looked for, while others change them. */
const MOST_TIMES = 8

/**
 * Replaces the records that have the bodies' values of a unique key, and creates those that are not there. `body`: one,
 * or an array. They are looked for before the lock. If others have changed by then which records have the values, all
 * begins anew.
 */
export async function upsert(
  using: UpsertParts,
  at: Address,
  body: unknown,
  by: readonly string[],
  asked: Asked,
): Promise<WrittenByKey> {
  const { parts, model, run } = using
  const { hidden = NOTHING_HIDDEN } = asked
  checkWritable(parts.context, model, at.path.resource)
  const key = uniqueKeyNamed(at.path.resource, by, parts.context.fieldRights, hidden)
  const values = await readValues(using, at, body, key, asked)
  checkIds(at)
  let found = await holdersOf(parts, key, values, asked)
  for (let times = 1; ; times++) {
    const records = await recordsFor(using, at, body, key, found, asked)
    try {
      return { ...(await run(at, records, asked, 'replace')), found }
    } catch (error) {
      if (!mayHaveChanged(error)) throw error
      const again = await holdersOf(parts, key, values, asked)
      if (sameValue(found, again) && !isForOthers(error)) throw error
      if (times === MOST_TIMES) throw new CrudError(busy(), { cause: error })
      found = again
    }
  }
}

function mayHaveChanged(error: unknown): boolean {
  if (isForOthers(error)) return true
  return error instanceof CrudError && RACED.includes(error.code)
}

/** Whether others are in the way, whatever records have the values. */
function isForOthers(error: unknown): boolean {
  return error instanceof HolderChangedError || error instanceof OwnersChangedError
}

/** Others may have added the record meanwhile, also with its id, or deleted it. */
const RACED: readonly string[] = ['CRUD_ERR_NOT_UNIQUE', 'CRUD_ERR_EXISTS', 'CRUD_ERR_NOT_FOUND']

/** The values by which the bodies name their records. Fails with `CRUD_ERR_INVALID` where one is missing, null, or does
 * not fit its member. */
async function readValues(
  { bodies }: UpsertParts,
  at: Address,
  body: unknown,
  key: UniqueKey,
  { hidden }: Asked,
): Promise<readonly UniqueValues[]> {
  const meaning = () => ({ operation: 'replace' }) as const
  const { read, problems: found } = await bodies.glanceAll({ at, body, hidden, meaning })
  const faulty = new Set(found.map(({ pointer }) => pointer))
  const values = read.map((one, index) => valuesOfKey(key, one, index, ownerInPath(at), faulty))
  const lacking = read.filter((_, index) => values[index] === undefined)
  if (lacking.length === 0) return values as readonly UniqueValues[]
  // A value that does not fit its member is told as such.
  const asNew = bodies.problemsOfAll({ at, body, hidden, meaning: () => ({ operation: 'create' }) })
  // The record may be there, and then a body need not have its id.
  const ids = new Set(read.map(({ draft }) => pointerTo(draft.pointer, 'id')))
  const problems = asNew.filter(({ pointer = '', keyword }) => keyword !== 'required' || !ids.has(pointer))
  const places = new Set(problems.map(({ pointer }) => pointer))
  const isTold = ({ draft: { pointer } }: BodyRead) =>
    places.has(pointer) || key.members.some(({ property }) => places.has(pointerTo(pointer, property)))
  const missing = lacking.filter((one) => !isTold(one)).map((one) => missingValue(key, one))
  throw new CrudError(invalid([...problems, ...missing]))
}

/** The record that has the values, for each of them. The caller need not see it. */
async function holdersOf(
  parts: WriteParts,
  key: UniqueKey,
  values: readonly UniqueValues[],
  { requestContext }: Asked,
): Promise<readonly (Id | undefined)[]> {
  const [first] = values
  if (first === undefined) return []
  const asked = { holders: [{ resource: first.resource, key, values }] }
  const held = (await lookUpOutside(parts, asked, requestContext, values.length)).holders.get(key)
  return values.map((_, index) => held?.get(index))
}

/** The bodies, as what becomes of the records that were found. */
async function recordsFor(
  using: UpsertParts,
  at: Address,
  body: unknown,
  key: UniqueKey,
  found: readonly (Id | undefined)[],
  asked: Asked,
): Promise<readonly BulkRecord[]> {
  const read = await using.bodies.readAll({
    at,
    body,
    hidden: asked.hidden,
    meaning(index) {
      const id = found[index]
      return id === undefined ? { operation: 'create' } : { operation: 'replace', id }
    },
  })
  const isNew = (index: number) => found[index] === undefined
  const created = await toCreates(
    using,
    at,
    read.filter((_, index) => isNew(index)),
    asked,
  )
  let next = 0
  return read.map((one, index) =>
    isNew(index) ? (created[next++] as BulkRecord) : toUpdateBy(key, found[index] as Id, one),
  )
}

/**
 * The unique key with these names, in any order. Fails with `CRUD_ERR_INVALID` if the resource declares none, or if the
 * caller may not see all of its members.
 */
function uniqueKeyNamed(
  { key, uniques }: Resource,
  names: readonly string[],
  { sees }: FieldRights,
  hidden: InvisibleResources,
): UniqueKey {
  const isSeen = ({ members }: UniqueKey) =>
    members.every((member) => (member.kind === 'field' ? sees(member) : !hidden.has(member.target)))
  const seen = uniques.filter(isSeen)
  const wanted = new Set(names)
  const found = seen.find((one) => one.names.length === wanted.size && one.names.every((name) => wanted.has(name)))
  if (found !== undefined) return found
  const allowedValues = seen.map((one) => one.names.join(','))
  const advice = seen.length === 0 ? '' : `; it has ${allowedValues.join(' or ')}`
  const message = `by: ${withArticle(key)} has no unique key '${shortened(names.join(','))}'${advice}`
  throw new CrudError(invalid([{ parameter: 'by', message, keyword: 'enum', params: { allowedValues } }]))
}

/** The values of a key in a body; undefined where one is missing, null, or no value of its member. `owner`: that of the
 * path. `faulty`: pointers. */
function valuesOfKey(
  key: UniqueKey,
  { draft, said }: BodyRead,
  index: number,
  owner: RecordOwner | undefined,
  faulty: ReadonlySet<string | undefined>,
): UniqueValues | undefined {
  const { resource, pointer } = draft
  const values = heldOf(key, (member) => {
    if (member.kind !== 'ownedBy') {
      return faulty.has(pointerTo(pointer, member.property)) ? null : (draft.values[member.position] ?? null)
    }
    const known = [...(owner === undefined ? [] : [owner]), ...said, ...saidByKeys(draft)]
    return known.find(({ by }) => by === member)?.id ?? null
  })
  return canCollide(values) ? { resource, key, row: { new: index }, values, pointer, before: undefined } : undefined
}

/** The values by which a request names its records have to be there. */
function missingValue(key: UniqueKey, { draft: { pointer, values, reading } }: BodyRead): BodyProblem {
  return {
    pointer: memberPointer(key, pointer, values, reading.fieldRights),
    message: `is required, and not null: the request names the record by ${key.names.join(', ')}`,
    keyword: 'required',
  }
}
