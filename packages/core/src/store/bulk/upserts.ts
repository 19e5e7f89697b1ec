import { busy, CrudError, invalid } from '../../errors.ts'
import type { Address } from '../../model/address.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { UniqueKey } from '../../model/model.ts'
import { NOTHING_HIDDEN } from '../../planning/body/draft.ts'
import { pointerTo } from '../../planning/body/pointer.ts'
import type { UniqueValues } from '../../planning/decide/unique-values.ts'
import { sameValue } from '../../planning/diff/same-value.ts'
import { HolderChangedError } from '../../writing/bulk/check-holders.ts'
import { lookUpOutside } from '../../writing/look-up-outside.ts'
import { ownerInPath } from '../../writing/owner-at.ts'
import type { BulkRecord, WriteParts, Written } from '../../writing/write-call.ts'
import type { BodyRead } from '../body-reader.ts'
import { checkIds } from '../checks/check-ids.ts'
import { checkWritable } from '../checks/check-writable.ts'
import type { Asked } from '../types/asked.ts'
import type { BulkParts } from './bulk-parts.ts'
import { toCreates, toUpdateBy } from './bulk-records.ts'
import { missingValue, valuesOfKey } from './key-values.ts'
import { uniqueKeyNamed } from './unique-key.ts'

interface UpsertParts extends BulkParts {
  run(at: Address, records: readonly BulkRecord[], asked: Asked): Promise<Written>
}

/** A write by unique values, and which of its records were there. */
interface WrittenByKey extends Written {
  readonly found: readonly (Id | undefined)[]
}

/** How often the records that have the values are looked for, while others change them. */
const MOST_TIMES = 8

/**
 * Replaces the records that have the bodies' values of a unique key, and creates those that are not there. `body`: one, or an array. They are
 * looked for before the lock. If others have changed by then which records have the values, all begins anew.
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
      return { ...(await run(at, records, asked)), found }
    } catch (error) {
      if (!mayHaveChanged(error)) throw error
      const again = await holdersOf(parts, key, values, asked)
      if (sameValue(found, again) && !(error instanceof HolderChangedError)) throw error
      if (times === MOST_TIMES) throw new CrudError(busy(), { cause: error })
      found = again
    }
  }
}

function mayHaveChanged(error: unknown): boolean {
  if (error instanceof HolderChangedError) return true
  return error instanceof CrudError && RACED.includes(error.code)
}

/** Others may have added the record meanwhile, also with its id, or deleted it. */
const RACED: readonly string[] = ['CRUD_ERR_NOT_UNIQUE', 'CRUD_ERR_EXISTS', 'CRUD_ERR_NOT_FOUND']

/** The values by which the bodies name their records. Fails with `CRUD_ERR_INVALID` where one is missing, null, or does not fit its member. */
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
  const problems = bodies.problemsOfAll({ at, body, hidden, meaning: () => ({ operation: 'create' }) })
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
