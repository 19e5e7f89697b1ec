import { mayHide, type Rights } from '../asking/policies/rights.ts'
import { askerIn } from '../model/callers.ts'
import type { Address } from '../model/collection-path.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Resource } from '../model/model.ts'
import { noLookups } from '../planning/decide/lookups.ts'
import type { Changes } from '../planning/diff/changes.ts'
import type { Diff } from '../planning/diff/diff.ts'
import { collectRows, type OwnerInPath } from '../rules/rows/collect-rows.ts'
import type { RuledRow } from '../rules/rows/row-change.ts'
import { type ReadRecord, type Tree, treeOf } from '../rules/rows/tree.ts'
import { type Counter, checkedStart, countersOf, giveNumbers } from '../rules/stages/new-numbers.ts'
import { type LeftByWrite, type RuledWrite, ruledWrite } from '../rules/stages/ruled-write.ts'
import { setBehindNumbers, setValues } from '../rules/stages/set-values.ts'
import { isUnknownTable } from '../session/database-errors.ts'
import { type AnyTransaction, kyselyTransaction, whileRulesRun } from '../session/kysely-transaction.ts'
import { causeOf, pipelineAll, type Session } from '../session/session.ts'
import { NUMBERS_TABLE, ownTableMissing } from '../sql/text/stored-rows.ts'
import type { Attempt } from './attempt.ts'
import { lookUp } from './plan-write.ts'
import { ownerAtTop } from './vacancy.ts'
import type { Current, WriteCall, WriteParts } from './write-call.ts'

/** The part of rules in a planned write; undefined if none runs. `transaction`: in which they write. Default: one of
 * their own on the session. */
export async function ruleWrite(
  parts: WriteParts,
  session: Session,
  { at, requestContext, now, rollsBack }: WriteCall,
  { rowLocks: locks }: Attempt,
  { diff, read }: Current,
  transaction?: AnyTransaction,
): Promise<RuledWrite | undefined> {
  const { context, rules } = parts
  if (rules === undefined || locks === undefined) return undefined
  const { changes, listed, hidden } = diff
  const tree = read.length === 0 ? NO_TREE : treeOf(read)
  const { rights, fieldRights } = context
  const owners = ownersInPath(at)
  const write = { changes, listed, tree, owners, hidesLinks: rights !== undefined, fieldRights }
  const rows = await collectRows({ ...rules, locks, session }, write)
  if (rows.length === 0) return undefined
  if (hidden.size > 0) for (const row of rows) if (hidden.has(row.resource)) row.isShown = false
  if (rights !== undefined) await findVisible(parts, rights, session, rows)
  const using = {
    ...rules,
    locks,
    db: transaction ?? context.db,
    session,
    asker: askerIn(requestContext),
    now,
    endsLater: parts.end !== undefined && !rollsBack,
  }
  return ruledWrite({ ...using, chosenIds: changes.inserts.map(({ id }) => id) }, rows)
}

const NO_TREE: Tree = new Map()

/** Not in a transaction of the application's own: the application may roll it back. */
export function endWrite({ context, rules, end }: WriteParts, { requestContext }: WriteCall, left: LeftByWrite): void {
  if (end !== undefined) end.take([left])
  else if (!context.db.isTransaction) rules?.afterCommits.run(left.committed, requestContext)
}

/** The owners that a path names. The owner of the topmost one is not known where such records may have one. */
function ownersInPath({ path, owners }: Address): readonly OwnerInPath[] {
  return path.relations.map(({ source }, level) => {
    const above = path.relations[level - 1]
    const owner = above === undefined ? ownerAtTop(source) : { by: above.inverse, id: owners[level - 1] as Id }
    return { resource: source, id: owners[level] as Id, owner }
  })
}

/** Finds out which of the rows the caller may see, as they are before the write. */
async function findVisible(
  { statements }: WriteParts,
  rights: Rights,
  session: Session,
  rows: readonly RuledRow[],
): Promise<void> {
  const existing = new Map<Resource, Set<Id>>()
  for (const { resource, id, isShown } of rows) {
    if (isShown !== undefined || !mayHide(rights, resource)) continue
    existing.set(resource, (existing.get(resource) ?? new Set<Id>()).add(id as Id))
  }
  if (existing.size === 0) return
  const facts = await lookUp(statements, session, { ...noLookups, existing })
  for (const row of rows) row.isShown ??= facts.existing.get(row.resource)?.has(row.id as Id)
}

/** Gives rows the values that rules have for them. `read`: the records that the request names. */
export function setRuleValues(
  { rules }: WriteParts,
  { requestContext, now }: WriteCall,
  diff: Diff,
  read: readonly ReadRecord[],
): void {
  if (rules === undefined) return
  const asking = { ...askerIn(requestContext), now }
  setValues(rules, diff, asking, read)
}

/**
 * Whether new rows among the changes get numbers. They are taken in the transaction of the write, so no short cut has
 * them. A row that comes back has its number.
 */
export function takesNumbers({ rules }: Pick<WriteParts, 'rules'>, { inserts }: Changes): boolean {
  if (rules === undefined || rules.scope.numbered.size === 0) return false
  return inserts.some(({ resource, comesBack }) => comesBack === undefined && rules.scope.numbered.has(resource.key))
}

/**
 * Gives new rows their numbers. The counters are locked until the transaction ends, in one order, so that writers wait
 * for each other, and never in a circle.
 */
export async function takeNumbers(
  parts: WriteParts,
  session: Session,
  { requestContext, now }: WriteCall,
  { inserts }: Changes,
): Promise<void> {
  const { rules } = parts
  if (rules === undefined) return
  const asking = { ...askerIn(requestContext), now }
  const counters = countersOf(rules, inserts, asking)
  const take = counters.map((counter) => async () => {
    giveNumbers(inserts, counter, await lastOf(parts, session, counter))
  })
  try {
    if (counters.every(({ member }) => typeof member.start === 'number')) await pipelineAll(session, take)
    else for (const one of take) await one()
    setBehindNumbers(rules, inserts, asking)
  } catch (error) {
    throw isUnknownTable(causeOf(error), NUMBERS_TABLE)
      ? new Error(ownTableMissing(NUMBERS_TABLE), { cause: error })
      : error
  }
}

/** Takes numbers for all rows of a counter. Resolves to the last one. */
async function lastOf({ rules, context }: WriteParts, session: Session, counter: Counter): Promise<number> {
  const { next, nextIfKnown } = (rules as NonNullable<typeof rules>).statements.numbers()
  const { key, member, rows } = counter
  const { start } = member
  const count = rows.length
  const beginAt = async (first: number) => {
    const last = await session.value(next, { ...key, count, last: first - 1 + count })
    // A driver may return an integer as a text.
    return Number(last)
  }
  if (typeof start === 'number') return await beginAt(start)
  const last = await session.value(nextIfKnown, { ...key, count })
  if (last !== undefined) return Number(last)
  const input = { ...(rows[0] as Counter['rows'][number]).input, db: kyselyTransaction(context.db, session) }
  // Another writer may have begun in the meantime: then its numbers go on.
  return await beginAt(checkedStart(counter, await whileRulesRun(context.db, async () => await start(input))))
}
