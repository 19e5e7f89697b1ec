import { mayHide, type Rights } from '../asking/policies/rights.ts'
import type { Address } from '../model/address.ts'
import { callerIn, NO_CALLER } from '../model/any-caller.ts'
import { tenantIn } from '../model/any-tenant.ts'
import type { Id } from '../model/ids/id-kind.ts'
import type { Resource } from '../model/model.ts'
import { noLookups } from '../planning/decide/lookups.ts'
import { collectRows } from '../rules/rows/collect-rows.ts'
import type { OwnerInPath } from '../rules/rows/collecting.ts'
import type { RuledRow } from '../rules/rows/ruled-row.ts'
import { type Tree, treeOf } from '../rules/rows/tree.ts'
import { type CommittedOf, type RuledWrite, ruledWrite } from '../rules/stages/ruled-write.ts'
import type { Session } from '../session/session.ts'
import type { Attempt } from './attempt.ts'
import type { Current } from './current.ts'
import { ownerAtTop } from './owner-at.ts'
import { lookUp } from './plan-write.ts'
import type { WriteCall, WriteParts } from './write-call.ts'

/** The part of rules in a planned write; undefined if none runs. */
export async function ruleWrite(
  parts: WriteParts,
  session: Session,
  { at, requestContext, now }: WriteCall,
  { rowLocks: locks }: Attempt,
  { diff, read }: Current,
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
    db: context.db,
    session,
    caller: callerIn(requestContext) ?? NO_CALLER,
    tenant: tenantIn(requestContext),
    now,
  }
  return ruledWrite({ ...using, chosenIds: changes.inserts.map(({ id }) => id) }, rows)
}

const NO_TREE: Tree = new Map()

/** Not in a transaction of the application's own: the application may roll it back. */
export function runAfterCommit(
  { context, rules }: WriteParts,
  { requestContext }: WriteCall,
  committed: readonly CommittedOf[],
): void {
  if (!context.db.isTransaction) rules?.afterCommits.run(committed, requestContext)
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
