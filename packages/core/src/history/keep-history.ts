import {
  type EffectOwner,
  type EffectRecord,
  mergedChanges,
  ownerRecord,
  recordKey,
  type WholeChange,
} from '../effects/whole-change.ts'
import { callerIn, NO_CALLER } from '../model/callers.ts'
import type { Address } from '../model/collection-path.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Model, Resource } from '../model/model.ts'
import { readStored, rowsById } from '../rules/rows/stored-rows.ts'
import { isUnknownTable } from '../session/database-errors.ts'
import { causeOf, pipelineAll, type Session } from '../session/session.ts'
import { WHOSE, whoseRecord, whoseRequest } from '../sql/rows/whose-rows.ts'
import type { RuleStatements, Statements } from '../sql/statements.ts'
import { HISTORY_RECORDS_TABLE, HISTORY_TABLE, ownTableMissing } from '../sql/text/stored-rows.ts'
import { type OwnersOf, toStoredWrite, touchedRecords } from './stored-changes.ts'

/** How a caller is named in the history. */
export type HistoryOf = (caller: Readonly<Record<string, unknown>>) => unknown

/** What is needed to keep the history of a model. */
export interface HistoryTerms {
  /** Undefined: nobody is named. */
  readonly historyOf: HistoryOf | undefined
}

/** A write that is done, but for its history. */
export interface WriteToKeep {
  readonly write: string
  readonly operation: string
  /** Undefined: it is about nothing in particular. */
  readonly at: Address | undefined
  /** The record that the request is about; undefined: it is about many, or none. */
  readonly id: Id | undefined
  readonly requestContext: unknown
  readonly changes: readonly WholeChange[]
}

/** The most changes that the history keeps as a whole. */
interface KeepingTerms extends HistoryTerms {
  readonly maxChanges: number
}

/**
 * Reads what the history has to know of owners. Resolves to the work that adds the write: it starts all its statements
 * before it waits. Undefined where the write touches no record with a history.
 */
export async function prepareHistory(
  model: Model,
  statements: RuleStatements & Pick<Statements, 'history'>,
  session: Session,
  { historyOf, maxChanges }: KeepingTerms,
  { write, operation, at, id, requestContext, changes: all }: WriteToKeep,
): Promise<(() => Promise<void>) | undefined> {
  const changes = mergedChanges(all)
  if (changes.length === 0) return undefined
  const above = await ownersAbove(statements, session, changes, at)
  const stored = toStoredWrite(changes, above.after, above.before, maxChanges)
  const touched = touchedRecords(model, stored)
  if (touched.length === 0) return undefined
  const caller = callerIn(requestContext) ?? NO_CALLER
  const by = historyOf?.(caller)
  const row = {
    id: write,
    ...whoseRequest(requestContext),
    operation,
    resource: at?.path.resource.key ?? NO_RESOURCE,
    record: id === undefined ? null : JSON.stringify(id),
    by: by === undefined || by === null ? null : JSON.stringify(by),
    effects: JSON.stringify(stored),
  }
  const { addWrite, addRecords } = statements.history()
  const records = addRecords(
    touched.map(([key, of]) => [whoseRecord(requestContext, model.resources.get(key))[WHOSE], key, String(of), write]),
  )
  return async () => {
    try {
      await pipelineAll(session, [
        async () => {
          await session.run(addWrite, row)
        },
        async () => {
          await session.run(records.query, records.values)
        },
      ])
    } catch (error) {
      throw missingTable(error) ?? error
    }
  }
}

/** In place of a resource, for a write that is about none in particular. */
const NO_RESOURCE = ''

/** The error that says how to make the tables of the history; undefined: it is another one. */
export function missingTable(error: unknown): Error | undefined {
  for (const table of [HISTORY_TABLE, HISTORY_RECORDS_TABLE]) {
    if (isUnknownTable(causeOf(error), table)) return new Error(ownTableMissing(table), { cause: error })
  }
  return undefined
}

/** The owners of all records that changes name, before and after the write. Reads those that nothing else tells. */
async function ownersAbove(
  statements: RuleStatements,
  session: Session,
  changes: readonly WholeChange[],
  at: Address | undefined,
): Promise<{ readonly before: OwnersOf; readonly after: OwnersOf }> {
  const { relations = [] } = at?.path ?? {}
  const { owners = [] } = at ?? {}
  const after = new Map<string, EffectOwner | null>()
  const before = new Map<string, EffectOwner | null>()
  const records: EffectRecord[] = []
  for (const [level, { source, inverse: by }] of relations.entries()) {
    const owned = relations[level + 1]
    const owner = { resource: source, id: owners[level] as Id, by }
    if (owned !== undefined) after.set(recordKey(owned.source, owners[level + 1] as Id), owner)
  }
  for (const change of changes) {
    records.push(change)
    if (change.kind === 'link') {
      records.push({ resource: change.link.target, id: change.to })
      continue
    }
    const key = recordKey(change.resource, change.id)
    after.set(key, change.owner)
    const was = ownerBefore(change.resource, change.before)
    if (was !== undefined) before.set(key, was)
  }
  await readOwners(statements, session, records, after, before)
  const chain =
    (known: (key: string) => EffectOwner | null | undefined): OwnersOf =>
    (record) => {
      const found: EffectOwner[] = []
      const seen = new Set<string>()
      let owner = known(recordKey(record.resource, record.id))
      while (owner !== undefined && owner !== null) {
        const key = recordKey(owner.resource, owner.id)
        if (seen.has(key)) break
        seen.add(key)
        found.push(owner)
        owner = known(key)
      }
      return found
    }
  const ownersAfter = chain((key) => after.get(key))
  return {
    after: ownersAfter,
    before: before.size === 0 ? ownersAfter : chain((key) => before.get(key) ?? after.get(key)),
  }
}

/** The owner that a row had, where its foreign keys say it; undefined: they do not. */
function ownerBefore(
  { movedBy }: Resource,
  row: Readonly<Record<string, unknown>> | undefined,
): EffectOwner | null | undefined {
  if (row === undefined || movedBy.length === 0) return undefined
  const by = movedBy.find(({ foreignKey }) => (row[foreignKey] ?? null) !== null)
  return by === undefined ? null : { resource: by.target, id: row[by.foreignKey] as Id, by }
}

/** Goes up from the records, and reads the owners that are not known, level by level. */
async function readOwners(
  statements: RuleStatements,
  session: Session,
  records: readonly EffectRecord[],
  after: Map<string, EffectOwner | null>,
  before: ReadonlyMap<string, EffectOwner | null>,
): Promise<void> {
  let open: readonly EffectRecord[] = records
  const visited = new Set<string>()
  while (open.length > 0) {
    const lacking = new Map<Resource, Set<Id>>()
    const next: EffectRecord[] = []
    for (const record of open) {
      const { resource, id } = record
      const key = recordKey(resource, id)
      if (resource.ownedBy.length === 0 || visited.has(key)) continue
      const owners = [after.get(key), before.get(key)]
      if (owners[0] === undefined || (owners[0] === null && !resource.isRoot)) {
        lacking.set(resource, (lacking.get(resource) ?? new Set<Id>()).add(id))
        continue
      }
      visited.add(key)
      for (const owner of owners) if (owner) next.push(owner)
    }
    if (lacking.size > 0) {
      const asked = [...lacking]
      const found = await readStored(
        statements,
        session,
        asked.map(([of, ids]) => rowsById(of, [...ids])),
      )
      for (const [index, [resource, ids]] of asked.entries()) {
        const owners = new Map((found[index] ?? []).map(({ record, owner }) => [record.id, owner]))
        for (const id of ids) {
          const named = owners.get(id)
          const owner = named ? ownerRecord(named) : null
          const key = recordKey(resource, id)
          after.set(key, owner)
          visited.add(key)
          if (owner !== null) next.push(owner)
        }
      }
    }
    open = next
  }
}
