import { CrudError, invalid, tooManyAffected } from '../../errors.ts'
import type { Address } from '../../model/collection-path.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { NOTHING_HIDDEN } from '../../planning/body/draft.ts'
import type { Plan } from '../../planning/public/plan.ts'
import { repeatOf } from '../../writing/repeats.ts'
import { write } from '../../writing/write.ts'
import type { BulkCall, BulkRecord, Written, WrittenEffects } from '../../writing/write-call.ts'
import { unlessUnfit } from '../body-reader.ts'
import { checkIds, checkWritable } from '../checks/check-ids.ts'
import type { Asked } from '../types/write-options.ts'
import type { BulkParts, Match, Matching } from './bulk-records.ts'
import { toCreates, toUpdate } from './bulk-records.ts'
import { knownOwners, whileOwnersChange } from './known-owners.ts'
import { upsert } from './upserts.ts'

/** The store's writes of many records: all of them are done, or none. */
export interface BulkStore {
  createMany(at: Address, bodies: unknown, asked?: Asked): Promise<WrittenMany>
  /** Each body has the id of its record. */
  replaceMany(at: Address, bodies: unknown, asked?: Asked): Promise<WrittenMany>
  patchMany(at: Address, bodies: unknown, asked?: Asked): Promise<WrittenMany>
  /** Each record is the one with the body's values of a unique key (`by`: its names), or a new one where there is
   * none. */
  upsertMany(at: Address, bodies: unknown, by: readonly string[], asked?: Asked): Promise<WrittenMany>
  upsert(at: Address, body: unknown, by: readonly string[], asked?: Asked): Promise<Upserted>
  /** All records that match. `asked` has to say how many records the write may affect at most. */
  patchMatching(at: Address, matching: Matching, body: unknown, asked: Asked): Promise<WrittenMany>
  deleteMatching(at: Address, matching: Matching, asked: Asked): Promise<WrittenMany>
}

/** Records as a write of many has left them. */
export interface WrittenMany {
  /** `{"rows":[…]}` or `{"count":n}`; undefined where it is too large for an answer: the write is done nevertheless. */
  readonly json: string | undefined
  /** What would be done, if all is undone at the end. */
  readonly plan?: Plan | undefined
  /** What the write does, if that is asked for. */
  readonly effects?: WrittenEffects | undefined
  /** Of a repeat: that of the first answer. */
  readonly firstStatus?: number | undefined
}

/** A record as a PUT by a unique key has left it. */
export interface Upserted {
  readonly id: Id
  readonly isNew: boolean
  /** Undefined where it is too large for an answer, or the caller may not see it any more: the write is done
   * nevertheless. */
  readonly json: string | undefined
  readonly isOutOfSight: boolean
  readonly plan?: Plan | undefined
  readonly effects?: WrittenEffects | undefined
}

const BY_NOBODY: Asked = {}

/** What stands around the records of an answer. */
const ROWS = '{"rows":['
const ROWS_END = ']}'

/** The limit of what a write by a filter may affect: it has to be said. */
function checkedMost(given: number | undefined, maxItems: number): number {
  if (given !== undefined && given <= maxItems) return given
  const message = `maxAffected: a write by a filter says how many records it may affect at most, up to ${maxItems}`
  const params = { minimum: 0, maximum: maxItems }
  throw new CrudError(invalid([{ parameter: 'maxAffected', message, keyword: 'range', params }]))
}

export function bulkStore(using: BulkParts): BulkStore {
  const { parts, model, bodies, maxItems, termsOf, match } = using

  async function run(
    at: Address,
    records: readonly BulkRecord[],
    asked: Asked,
    verb: BulkCall['verb'],
    again?: Match['again'],
  ): Promise<Written> {
    const { hidden = NOTHING_HIDDEN } = asked
    const known = await knownOwners(parts, at, records, asked)
    await asked.checkRecords?.check(at, records, known.addressOf)
    return await write(parts, {
      ...termsOf(asked),
      operation: 'bulk',
      verb,
      at,
      id: undefined,
      records,
      hidden,
      stillMeant: again,
      checkOwners: known.check,
      ...(again !== undefined && { readsBack: false }),
    })
  }

  /** What an earlier request with the same key has left. What it was about may have been changed since, and is not
   * looked at. */
  async function earlier(at: Address, asked: Asked): Promise<WrittenMany | undefined> {
    const terms = termsOf(asked)
    const written = terms.repeat && (await repeatOf(parts, { at, ...terms }, terms.repeat))
    return written && rowsOf(written)
  }

  async function updateMany(operation: 'replace' | 'patch', at: Address, body: unknown, asked: Asked) {
    checkWritable(parts.context, model, at.path.resource)
    const read = await bodies.readAll({ at, body, hidden: asked.hidden, meaning: () => ({ operation }) })
    checkIds(at)
    const records = read.map((one) => toUpdate(at, operation, one))
    return (
      (await earlier(at, asked)) ??
      (await unlessUnfit(read, async () => rowsOf(await whileOwnersChange(() => run(at, records, asked, operation)))))
    )
  }

  /** `toRecord`: of each record that matches. */
  async function changeMatching(
    at: Address,
    matching: Matching,
    asked: Asked,
    verb: 'patch' | 'delete',
    toRecord: (id: Id) => BulkRecord,
  ): Promise<WrittenMany> {
    checkWritable(parts.context, model, at.path.resource)
    checkIds(at)
    const most = checkedMost(asked.maxAffected, maxItems)
    const repeated = await earlier(at, asked)
    if (repeated !== undefined) return repeated
    const written = await whileOwnersChange(async () => {
      const { ids, again } = await match(at, matching, most + 1, asked)
      if (ids.length > most) throw new CrudError(tooManyAffected(most))
      return await run(at, ids.map(toRecord), asked, verb, again)
    })
    const { many, plan, effects } = written
    return many === undefined ? rowsOf(written) : { json: JSON.stringify({ count: many.count }), plan, effects }
  }

  const upserting = { ...using, run }
  const rowsOf = ({ json, plan, firstStatus, effects }: Written): WrittenMany => ({ json, plan, firstStatus, effects })

  return {
    async createMany(at, body, asked = BY_NOBODY) {
      checkWritable(parts.context, model, at.path.resource)
      const meaning = () => ({ operation: 'create' }) as const
      const read = await bodies.readAll({ at, body, hidden: asked.hidden, meaning })
      checkIds(at)
      return (
        (await earlier(at, asked)) ??
        rowsOf(await whileOwnersChange(async () => run(at, await toCreates(using, at, read, asked), asked, 'create')))
      )
    },
    replaceMany: (at, body, asked = BY_NOBODY) => updateMany('replace', at, body, asked),
    patchMany: (at, body, asked = BY_NOBODY) => updateMany('patch', at, body, asked),
    upsertMany: async (at, body, by, asked = BY_NOBODY) => rowsOf(await upsert(upserting, at, body, by, asked)),
    async upsert(at, body, by, asked = BY_NOBODY) {
      const { found, many, json, plan, effects } = await upsert(upserting, at, body, by, asked)
      const [id = found[0]] = many?.ids ?? []
      const isOutOfSight = json === ROWS + ROWS_END
      const record = json === undefined || isOutOfSight ? undefined : json.slice(ROWS.length, -ROWS_END.length)
      return { id: id as Id, isNew: found[0] === undefined, json: record, isOutOfSight, plan, effects }
    },
    async patchMatching(at, matching, body, asked) {
      const ofBody = { at, operation: 'patch', body, id: undefined, hidden: asked.hidden, isForMany: true } as const
      const problems = bodies.problemsOf(ofBody)
      if (problems.length > 0) throw new CrudError(invalid(problems))
      return await changeMatching(at, matching, asked, 'patch', (id) => {
        // Each record has a draft of its own, as new records in it have ids of their own.
        const { draft, said } = bodies.read(ofBody)
        return { operation: 'patch', id, draft, said, by: undefined }
      })
    },
    deleteMatching: (at, matching, asked) =>
      changeMatching(at, matching, asked, 'delete', (id) => ({ operation: 'delete', id })),
  }
}
