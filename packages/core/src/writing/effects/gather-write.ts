import { rowAlone } from '../../asking/select/selections.ts'
import {
  isReadAgain,
  makeChanges,
  type NamingRows,
  type PlannedEffects,
  type RowBefore,
} from '../../effects/make-changes.ts'
import type { EffectRecord, WholeChange } from '../../effects/whole-change.ts'
import { CrudError, tooManyChanges } from '../../errors.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Link, Reference, Resource } from '../../model/model.ts'
import { onceFor } from '../../model/once-for.ts'
import { otherEnd } from '../../model/resource-tree.ts'
import { type Changes, isRemoved, rowsIn } from '../../planning/diff/changes.ts'
import type { NewIds } from '../../planning/order/new-ids.ts'
import { isNew, type RecordData, type RowId } from '../../planning/rows.ts'
import { lockRows, type RowLocks } from '../../rules/rows/row-locks.ts'
import { readStored, rowsById, type StoredRow } from '../../rules/rows/stored-rows.ts'
import { treeOf } from '../../rules/rows/tree.ts'
import { pipeline, pipelineAll, type Session } from '../../session/session.ts'
import type { RowsAsked } from '../../sql/reads/rows-query.ts'
import type { Attempt } from '../attempt.ts'
import { type Current, draftsOf, type WriteCall, type WriteParts } from '../write-call.ts'
import { type Gathering, isKeptInAll } from './current-gathering.ts'
import { noteSeenAtEnd, noteUnseen } from './gathering.ts'

/** The effects of one write, while it is done. */
export interface GatheredWrite {
  readonly gathering: Gathering
  /** The numbers of all new rows: effects have their ids. */
  readonly namedRows: ReadonlySet<number>
  /** Whether the ids of all new rows have to be known before anything is read behind the statements. */
  readonly awaitsIds: boolean
  /** Whether the database has to be asked at the end what the viewer sees. */
  readonly looksAgain: boolean
  /** Whether all is known before the statements that write: then they can go in one message with the history. */
  isKnown(newIds: NewIds): boolean
  /** Behind the last statement that writes: reads what only the database knows. */
  readAgain(newIds: NewIds): Promise<void>
  /** Adds the changes to those that are gathered, once all is known of them. */
  note(newIds: NewIds): void
  /** At the end of the transaction: asks what the viewer sees of all that is gathered. */
  lookAgain(): Promise<void>
}

/** Reads what the effects of a planned write need of the state before it. */
export async function gatherWrite(
  parts: WriteParts,
  session: Session,
  call: WriteCall,
  { rowLocks }: Attempt,
  { read }: Current,
  changes: Changes,
  gathering: Gathering,
): Promise<GatheredWrite> {
  if (gathering.isShown && gathering.parent === undefined && rowsIn(changes) > parts.maxChanges) {
    throw new CrudError(tooManyChanges(parts.maxChanges))
  }
  const tree = treeOf(read)
  const known = (resource: Resource, id: Id): RowBefore | undefined => tree.get(resource.key)?.get(id)
  const isToKeep = isKeptInAll(gathering)
  const mayLack = (resource: Resource) => isToKeep && hasUnseen(resource)
  const [naming, stored] = await pipeline(
    session,
    () => readNaming(parts, session, rowLocks, changes),
    () => readLacking(parts, session, changes, known, { mayLack, keepsPlaces: isToKeep }),
  )
  const rowBefore = (resource: Resource, id: Id) => stored.get(resource)?.get(id) ?? known(resource, id)
  // What a rule or an action reads, the caller may not see.
  const isOwn = gathering.parent === undefined
  const wasRead = (resource: Resource, id: Id) => isOwn && known(resource, id) !== undefined
  const isWholeSeen = (resource: Resource, id: Id) => wasRead(resource, id) && !stored.get(resource)?.has(id)
  await noteUnseen(gathering, 'before', recordsBefore(changes, naming, rowBefore, { wasRead, isWholeSeen }))
  const again = rowsToReadAgain(changes)
  const { bodyAt, idInPath } = bodyOf(call)
  const after = new Map<Resource, ReadonlyMap<Id, StoredRow>>()
  const rowAfter = (resource: Resource, id: Id) => after.get(resource)?.get(id)?.record
  let isNoted = false

  return {
    gathering,
    namedRows: new Set(changes.inserts.map(({ row }) => row.new)),
    awaitsIds: again.some(([, rows]) => rows.some((row) => isNew(row) && changes.inserts[row.new]?.id === undefined)),
    looksAgain:
      isOwn &&
      gathering.isShown &&
      (gathering.viewer.context.rights !== undefined || call.effects?.match !== undefined),
    isKnown: ({ ids }) => again.length === 0 && changes.inserts.every(({ row }) => ids[row.new] !== undefined),
    async readAgain({ ids }) {
      if (again.length === 0) return
      const asked = again.map(([resource, rows]) =>
        rowsById(
          resource,
          rows.map((row) => idIn(row, ids)),
        ),
      )
      const found = await readStored(parts.statements, session, asked)
      for (const [index, [resource]] of again.entries()) after.set(resource, byId(found[index] ?? []))
    },
    note({ ids }) {
      if (isNoted) return
      isNoted = true
      const made = makeChanges({ changes, rowBefore, naming, bodyAt, idInPath, ids, rowAfter })
      gathering.changes.push(...(call.operation === 'undo' ? made.map(becauseOfUndo) : made))
    },
    async lookAgain() {
      if (isOwn) await noteSeenAtEnd(gathering, parts.maxChanges)
    },
  }
}

/** No body says what an undo does. */
function becauseOfUndo(change: WholeChange): WholeChange {
  return { ...change, pointer: undefined, because: change.because ?? 'undo' }
}

function idIn(row: RowId, ids: NewIds['ids']): Id {
  return (isNew(row) ? ids[row.new] : row) as Id
}

function byId<Row extends { readonly record: RecordData }>(rows: readonly Row[]): ReadonlyMap<Id, Row> {
  return new Map(rows.map((row) => [row.record.id, row]))
}

/**
 * Reads the rows that name records which are removed, by relations that let these go: behind locks, so that nobody else
 * names the records, or changes the rows, before they are gone.
 */
async function readNaming(
  { statements }: WriteParts,
  session: Session,
  locks: RowLocks | undefined,
  { removed }: Changes,
): Promise<readonly NamingRows[]> {
  const asked: (RowsAsked & { readonly naming: Reference | Link })[] = []
  const lock: (() => Promise<unknown>)[] = []
  for (const { resource, pointers } of removed) {
    const relations = [...resource.referencedBy, ...resource.linkedBy].filter(({ needs }) => !needs)
    if (relations.length === 0) continue
    const ids = [...pointers.keys()]
    for (const naming of relations) asked.push({ selection: rowAlone(naming.source), naming, ids })
    lock.push(() => lockRows(statements, session, resource, ids, 'for update', 'waits'))
  }
  if (asked.length === 0) return []
  const read = () => locks?.readLocked(session, asked) ?? readStored(statements, session, asked)
  const [, found] = await pipeline(session, () => pipelineAll(session, lock), read)
  return asked.map(({ naming }, index) => ({ relation: naming, rows: found[index] ?? [] }))
}

/** Whether rows have values that no answer shows. */
const hasUnseen = onceFor(({ members, names }: Resource) =>
  members.some((one) => one.kind === 'field' && (one.writeOnly || !names.has(one.name))),
)

interface LackingTerms {
  /** Whether too little may be known of the rows of a resource. */
  mayLack(resource: Resource): boolean
  /** Whether the places of links matter in arrays that keep their order. */
  readonly keepsPlaces: boolean
}

type StoredRows = ReadonlyMap<Resource, ReadonlyMap<Id, RowBefore>>

/** Reads the rows of which too little is known: removed ones that the record does not carry, or not with all links, and
 * those whose owner the request does not name. */
async function readLacking(
  { statements }: WriteParts,
  session: Session,
  changes: Changes,
  known: (resource: Resource, id: Id) => RowBefore | undefined,
  { mayLack, keepsPlaces }: LackingTerms,
): Promise<StoredRows> {
  const lacking = new Map<Resource, Set<Id>>()
  const lack = (resource: Resource, id: Id, isOwnerKnown = false, isWhole = true) => {
    const row = known(resource, id)
    const lacksOwner = !isOwnerKnown && row?.owner === undefined && resource.ownedBy.length > 0
    if (row === undefined || lacksOwner || !isWhole || mayLack(resource))
      lacking.set(resource, (lacking.get(resource) ?? new Set<Id>()).add(id))
  }
  const lackPlaces = (array: Link | undefined, owner: Id) => {
    if (array?.order === undefined || !keepsPlaces || isRemoved(changes, array.source, owner)) return
    if (known(array.source, owner)?.record[array.name] === undefined) lack(array.source, owner, true, false)
  }
  for (const { link, from, to } of changes.unlinked) {
    lackPlaces(link, from)
    lackPlaces(otherEnd(link), to)
  }
  for (const { resource, id, owner } of changes.updates) lack(resource, id, owner !== undefined)
  for (const { resource, pointers } of changes.removed) {
    for (const id of pointers.keys()) {
      const isWhole = resource.links.every(({ name }) => name in (known(resource, id)?.record ?? {}))
      lack(resource, id, false, isWhole)
    }
  }
  for (const { array, owner, rows } of changes.numbered ?? []) {
    if (array.kind === 'link') lackPlaces(array, owner)
    else for (const { id } of rows) lack(array.target, id)
  }
  if (lacking.size === 0) return new Map()
  const all = [...lacking]
  const found = await readStored(
    statements,
    session,
    all.map(([resource, ids]) => rowsById(resource, [...ids])),
  )
  return new Map(all.map(([resource], index) => [resource, byId(found[index] ?? [])]))
}

/** What the caller's own state tells. */
interface SeenBefore {
  /** The caller has seen the record. */
  wasRead(resource: Resource, id: Id): boolean
  /** Its links are those that the caller has seen. */
  isWholeSeen(resource: Resource, id: Id): boolean
}

/** The records that effects may show as they were before, and that the caller's own state does not have. */
function* recordsBefore(
  changes: Changes,
  naming: readonly NamingRows[],
  rowBefore: PlannedEffects['rowBefore'],
  { wasRead, isWholeSeen }: SeenBefore,
): Iterable<EffectRecord> {
  for (const { resource, id } of changes.updates) if (!wasRead(resource, id)) yield { resource, id }
  for (const { resource, pointers } of changes.removed) {
    for (const id of pointers.keys()) {
      if (!wasRead(resource, id)) yield { resource, id }
      for (const { name, target } of isWholeSeen(resource, id) ? [] : resource.links) {
        const linked = (rowBefore(resource, id)?.record[name] ?? []) as readonly RecordData[]
        for (const { id: to } of linked) yield { resource: target, id: to }
      }
    }
  }
  for (const { link, from, to } of changes.unlinked) {
    if (wasRead(link.source, from)) continue
    yield { resource: link.source, id: from }
    yield { resource: link.target, id: to }
  }
  for (const { relation, rows } of naming) {
    const { source } = relation
    for (const { record } of rows) {
      if (!isRemoved(changes, source, record.id)) yield { resource: source, id: record.id }
    }
  }
  for (const { array, owner, rows } of changes.numbered ?? []) {
    for (const { id } of rows) if (!wasRead(array.target, id)) yield { resource: array.target, id }
    yield { resource: array.source, id: owner }
  }
}

/** The rows whose values are not those of the plan, or may be spelled otherwise. */
function rowsToReadAgain({ inserts, updates }: Changes): readonly (readonly [Resource, RowId[]])[] {
  const rows = new Map<Resource, RowId[]>()
  const add = (resource: Resource, row: RowId) => {
    const known = rows.get(resource)
    if (known === undefined) rows.set(resource, [row])
    else known.push(row)
  }
  for (const { resource, row, values, comesBack } of inserts) {
    if (comesBack !== 'kept' && isReadAgain(resource, values, true)) add(resource, row)
  }
  for (const { resource, id, values } of updates) if (isReadAgain(resource, values, false)) add(resource, id)
  return [...rows]
}

/** Finds values in the body of a request. */
function bodyOf(call: WriteCall): Pick<PlannedEffects, 'bodyAt' | 'idInPath'> {
  const idInPath = call.operation === 'create' ? call.chosenId : undefined
  const roots = new Map(draftsOf(call).map(({ pointer, body }) => [pointer, body as unknown]))
  if (roots.size === 0 || (call.operation !== 'bulk' && 'link' in call && call.link !== undefined)) {
    return { bodyAt: undefined, idInPath }
  }
  const bodyAt = (pointer: string): unknown => {
    const steps = pointer.split('/')
    const isInWhole = roots.has('')
    const root = isInWhole ? roots.get('') : roots.get(steps.slice(0, 2).join('/'))
    const path = steps.slice(isInWhole ? 1 : 2)
    return path.reduce<unknown>((value, step) => {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
      return (value as Readonly<Record<string, unknown>>)[name]
    }, root)
  }
  return { bodyAt, idInPath }
}
