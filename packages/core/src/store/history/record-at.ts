import { wholeRecordAt } from '../../asking/select/selections.ts'
import type { EffectRecord } from '../../effects/whole-change.ts'
import { CrudError, invalid, notFound } from '../../errors.ts'
import { type HistoryRow, toHistoryRow } from '../../history/history-row.ts'
import type { ChangeToUndo } from '../../history/inverse.ts'
import { isLinkTo, isWithin, type RecordName, wholeChange } from '../../history/stored-changes.ts'
import { addNow, addTree, hasMoved, noTree, rowThen, type TreeThen, undoChanges } from '../../history/tree-then.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import { idFormIn } from '../../model/ids/short-id.ts'
import type { Model, Resource } from '../../model/model.ts'
import { parseJson } from '../../model/values/long-number.ts'
import { readStored, rowsById } from '../../rules/rows/stored-rows.ts'
import type { Session } from '../../session/session.ts'
import { nestedJson } from '../../sql/reads/nest-trees.ts'
import { idSqlOf } from '../../sql/text/member-id-sql.ts'
import { HistorySight, recordSlots } from '../../writing/history/history-sight.ts'
import { adds, askHistory, checkSeen, type HistoryCall } from '../../writing/history/read-write.ts'
import { recordTooLarge, sendable } from '../../writing/reads/client-json.ts'
import type { WriteParts } from '../../writing/write-call.ts'
import { shownThen } from './shown-then.ts'

/** So many writes are read at once. */
const AT_ONCE = 100

/**
 * A record as it was at a moment (milliseconds since 1970), as JSON: as it is now, with the changes of later writes
 * undone. It has no computed fields, which no history keeps, and related records as they are now.
 *
 * Fails with `CRUD_ERR_NOT_FOUND` if the record was not there, or the reader may not see it as it was, and with
 * `CRUD_ERR_INVALID` if the history does not reach back to the moment.
 */
export async function readRecordAt(
  parts: WriteParts,
  session: Session,
  call: HistoryCall,
  moment: number,
  now: number,
): Promise<string> {
  const { at, id, hides } = call
  const { resource } = at.path
  const sight = new HistorySight(parts, session, hides)
  await checkSeen(parts, session, sight, call)
  const record = { resource, id }
  const tree = await treeNow(parts, session, record)
  // No later write is there yet.
  if (moment < now) await undoUntil(parts, session, call, tree, moment)
  const { maxAnswer, fieldRights } = parts.context
  const selection = wholeRecordAt(at.path, fieldRights)
  const terms = { statements: parts.statements, session, sight, selection, form: idFormIn(at.path) }
  const data = await shownThen(terms, tree, record)
  if (data === undefined) throw new CrudError(notFound(resource.key, id))
  const json = sendable(nestedJson(selection, data), maxAnswer)
  if (json === undefined) throw recordTooLarge(at, id, maxAnswer)
  return json
}

/** Undoes the writes behind a moment. Fails if the record was not there, or if nothing tells. */
async function undoUntil(
  parts: WriteParts,
  session: Session,
  call: HistoryCall,
  tree: TreeThen,
  moment: number,
): Promise<void> {
  const { resource } = call.at.path
  const record = { resource, id: call.id }
  for await (const row of newestFirst(parts, session, record)) {
    // By their positions: writes whose moments are equal, or have changed places, are done in this order.
    if (Date.parse(row.at) <= moment) return
    if (adds(row, call)) throw new CrudError(notFound(resource.key, call.id))
    await undoWrite(parts, session, tree, record, row)
  }
  throw untold('is before the history of the record begins: what it was then is not kept')
}

/** A record and what it owns just behind the write at a position. */
async function treeBehind(
  parts: WriteParts,
  session: Session,
  record: EffectRecord,
  position: number,
): Promise<TreeThen> {
  const tree = await treeNow(parts, session, record)
  for await (const row of newestFirst(parts, session, record)) {
    if (row.position <= position) break
    await undoWrite(parts, session, tree, record, row)
  }
  return tree
}

/** The writes that have touched a record. */
async function* newestFirst(
  { statements }: WriteParts,
  session: Session,
  record: EffectRecord,
): AsyncGenerator<HistoryRow> {
  const slots = { ...recordSlots(session, record), most: AT_ONCE }
  let before = Number.MAX_SAFE_INTEGER
  for (;;) {
    const found = await askHistory(() => session.rows(statements.history().writesOf, { ...slots, before }))
    const rows = found.map(toHistoryRow)
    yield* rows
    if (rows.length < AT_ONCE) return
    before = (rows.at(-1) as HistoryRow).position
  }
}

/** Undoes what a write has done to a record and to what it owned. */
async function undoWrite(
  parts: WriteParts,
  session: Session,
  tree: TreeThen,
  { resource, id }: EffectRecord,
  { stored: { changes, isCut }, position }: HistoryRow,
): Promise<void> {
  if (isCut === true) throw untold('is before a write of which not all is kept: what the record was then is not known')
  const model = parts.context.model as Model
  const own: RecordName = [resource.key, id]
  const all = changes.flatMap((stored): ChangeToUndo[] => {
    const isOwn = isWithin(stored, own) || isLinkTo(model, stored, own)
    const change = isOwn ? wholeChange(model, stored) : undefined
    return change === undefined ? [] : [{ stored, change }]
  })
  for (const one of all) {
    // It has left the tree, with all that it owned, which later writes may have changed elsewhere.
    const isBack = hasMoved(one) && rowThen(tree, one.change) === undefined
    if (isBack) addTree(tree, await treeBehind(parts, session, one.change, position))
  }
  undoChanges(tree, all)
}

function tooMany(most: number): string {
  return `cannot be asked of a record that has more than ${most} records by now, with all that it owns (limits.maxRows)`
}

function untold(why: string): CrudError {
  return new CrudError(invalid([{ parameter: 'at', message: `at: ${why}`, keyword: 'history' }]))
}

/** A record and what it shows of what it owns, as they are stored now, whoever may see them. */
async function treeNow(parts: WriteParts, session: Session, root: EffectRecord): Promise<TreeThen> {
  const tree = noTree()
  let level: readonly EffectRecord[] = [root]
  while (level.length > 0) {
    const groups = [...Map.groupBy(level, ({ resource }) => resource)]
    const asked = groups.map(([resource, some]) =>
      rowsById(
        resource,
        some.map(({ id }) => id),
      ),
    )
    const found = await readStored(parts.statements, session, asked, parseJson)
    const below: EffectRecord[] = []
    for (const [index, [resource]] of groups.entries()) {
      const rows = found[index] ?? []
      for (const row of rows) addNow(tree, resource, row)
      if (tree.rows.size > parts.maxRows) throw untold(tooMany(parts.maxRows))
      below.push(
        ...(await ownedNow(
          parts,
          session,
          resource,
          rows.map(({ record }) => record.id),
        )),
      )
    }
    level = below.filter((one) => rowThen(tree, one) === undefined)
  }
  return tree
}

async function ownedNow(
  { context, statements }: WriteParts,
  session: Session,
  resource: Resource,
  ids: readonly Id[],
): Promise<readonly EffectRecord[]> {
  if (ids.length === 0) return []
  const list = idSqlOf(context, resource).encodeList(ids)
  const owned: EffectRecord[] = []
  for (const owns of resource.owns) {
    if (!owns.carried) continue
    const json = await session.value<string>(statements.ownedNow(owns), [list])
    for (const [, id] of JSON.parse(json as string) as [Id, Id][]) owned.push({ resource: owns.target, id })
  }
  return owned
}
