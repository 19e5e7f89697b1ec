import type { Session } from '../connection/session.ts'
import type { Address } from '../model/address.ts'
import type { Id } from '../model/ids.ts'
import type { Resource } from '../model/model.ts'
import { noLookups } from '../plan/decide/lookups.ts'
import { mayHide, type Rights } from '../policies/rights.ts'
import { callerIn } from '../rules/caller-in.ts'
import { collectRows } from '../rules/collect-rows.ts'
import type { PathOwner } from '../rules/row-collection.ts'
import type { RuledRow } from '../rules/ruled-row.ts'
import { type RuledWrite, ruledWrite } from '../rules/ruled-write.ts'
import { type ReadRecord, type RowOwner, treeOf } from '../rules/tree.ts'
import { lookUp } from './plan-write.ts'
import type { Seen, WriteParts, WriteRequest } from './write-request.ts'

/** What rules are told of a planned write; undefined if nothing. */
export async function ruleWrite(
  parts: WriteParts,
  session: Session,
  { at, requestContext }: WriteRequest,
  { diff, data }: Seen,
): Promise<RuledWrite | undefined> {
  const { context, rules } = parts
  if (rules === undefined) return undefined
  const { changes, listed, hidden } = diff
  const pathOwners = pathOwnersIn(at)
  const tree = data === undefined ? new Map() : treeOf(at.path.resource, data, ownerAt(at))
  const isWhole = ({ resource: { fields, links }, record }: ReadRecord) =>
    context.rights === undefined &&
    !fields.some(({ writeOnly }) => writeOnly) &&
    links.every(({ name }) => name in record)
  const rows = await collectRows(rules, session, { changes, listed, tree, isWhole, pathOwners })
  if (rows.length === 0) return undefined
  const hiddenKeys = new Set(Array.from(hidden, ({ key }) => key))
  for (const row of rows) if (hiddenKeys.has(row.resource.key)) row.isShown = false
  await findShown(parts, session, rows)
  const using = { ...rules, db: context.db, session, caller: callerIn(requestContext) }
  return ruledWrite({ ...using, chosenIds: changes.inserts.map(({ id }) => id) }, rows)
}

/** The owners that a path names. What is above the topmost of them is not known where it may have an owner itself. */
function pathOwnersIn({ path, owners }: Address): readonly PathOwner[] {
  return path.relations.map(({ source }, level): PathOwner => {
    const above = path.relations[level - 1]
    const owner = above === undefined ? ownerAtTop(source) : { by: above.inverse, id: owners[level - 1] as Id }
    return { resource: source, id: owners[level] as Id, owner }
  })
}

/** The owner of the records at an address. */
function ownerAt({ path, owners }: Address): RowOwner {
  const owns = path.relations.at(-1)
  return owns === undefined ? ownerAtTop(path.resource) : { by: owns.inverse, id: owners.at(-1) as Id }
}

function ownerAtTop({ ownedBy }: Resource): RowOwner {
  return ownedBy.length === 0 ? null : undefined
}

/** Finds out which of the rows the caller may see, as they are before the write. */
async function findShown(
  { context: { rights }, statements }: WriteParts,
  session: Session,
  rows: readonly RuledRow[],
): Promise<void> {
  const existing = new Map<Resource, Set<Id>>()
  for (const row of rows) {
    if (row.isShown !== undefined) continue
    const resource = inModelOf(rights, row.resource)
    if (resource === undefined || !mayHide(rights, resource)) continue
    existing.set(resource, (existing.get(resource) ?? new Set<Id>()).add(row.id as Id))
  }
  if (existing.size === 0) return
  const facts = await lookUp(statements, session, { ...noLookups, existing })
  for (const [resource, shown] of facts.existing) {
    for (const row of rows) if (row.resource.key === resource.key) row.isShown ??= shown.has(row.id as Id)
  }
}

function inModelOf(rights: Rights | undefined, { key }: Resource): Resource | undefined {
  return rights?.model.resources.get(key)
}
