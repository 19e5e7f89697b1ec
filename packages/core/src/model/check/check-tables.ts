import type { ModelProblem } from '../../errors.ts'
import type { ResourceDraft } from '../define/resource-draft.ts'
import type { Field, ForeignKey, Link } from '../model.ts'
import { fieldsBeside } from '../resource-tree.ts'
import { textFormat } from '../values/schema-facts.ts'

/** Names that the queries use themselves, or names of functions that SQL allows in place of a table. */
export const RESERVED = /^(?:crud_|json_each$|json_tree$)/i

/** Two links may share one only if they are the two directions of one association. */
export function checkTableNames(drafts: ReadonlyMap<string, ResourceDraft>, problems: ModelProblem[]): void {
  const resources = new Map<string, string>()
  for (const draft of drafts.values()) {
    if (RESERVED.test(draft.table))
      problems.push({ place: `${draft.key}.table`, message: `'${draft.table}' is a name that queries use` })
    resources.set(draft.table.toLowerCase(), draft.key)
  }
  const links = new Map<string, Link>()
  for (const link of [...drafts.values()].flatMap((draft) => draft.links)) {
    const place = `${link.source.key}.relations.${link.name}`
    const table = link.table.toLowerCase()
    if (RESERVED.test(link.table))
      problems.push({ place, message: `its link table cannot be called '${link.table}': queries use that name` })
    const owner = resources.get(table)
    if (owner !== undefined)
      problems.push({ place, message: `its link table '${link.table}' is the table of ${owner} already` })
    const other = links.get(table)
    if (other !== undefined && !areDirectionsOfOne(link, other)) {
      problems.push({
        place,
        message: `its link table '${link.table}' is that of ${other.source.key}.relations.${other.name} already, with other columns or records`,
      })
    }
    links.set(table, link)
  }
  checkSharedTables(drafts, problems)
  checkRoutes(drafts, problems)
}

function areDirectionsOfOne(a: Link, b: Link): boolean {
  const backwards =
    a.fromColumn === b.toColumn && a.toColumn === b.fromColumn && a.source === b.target && a.target === b.source
  return backwards && a.table === b.table && !a.needs && !b.needs
}

/** No two resources at the top of the service have the same path segment. */
function checkRoutes(drafts: ReadonlyMap<string, ResourceDraft>, problems: ModelProblem[]): void {
  const routes = new Map<string, string>()
  for (const draft of drafts.values()) {
    if (!draft.isRoot && !draft.isTopLevel) continue
    const other = routes.get(draft.route)
    if (other !== undefined)
      problems.push({ place: `${draft.key}.route`, message: `'${draft.route}' is the route of ${other} already` })
    routes.set(draft.route, draft.key)
  }
}

/**
 * Two resources share a table only if a constant in one column tells their rows apart: a row in both would be reached
 * past the policies of the other one.
 */
function checkSharedTables(drafts: ReadonlyMap<string, ResourceDraft>, problems: ModelProblem[]): void {
  const byTable = new Map<string, ResourceDraft[]>()
  for (const draft of drafts.values()) {
    checkDiscriminatorColumn(draft, draft, problems)
    const table = draft.table.toLowerCase()
    const others = byTable.get(table) ?? []
    byTable.set(table, [...others, draft])
    for (const other of others) {
      const problem = problemOfTable(draft, other) ?? problemOfColumns(draft, other)
      if (problem !== undefined) {
        problems.push(problem)
        break
      }
    }
  }
}

function problemOfTable(draft: ResourceDraft, other: ResourceDraft): ModelProblem | undefined {
  const { key, table, where } = draft
  const place = `${key}.where`
  if (where === undefined || other.where === undefined) {
    const missing = where === undefined ? key : other.key
    const cure = `give ${missing} a 'where' that tells their rows apart`
    return { place: `${key}.table`, message: `'${table}' is the table of ${other.key} already: ${cure}` }
  }
  if (table !== other.table) {
    return { place: `${key}.table`, message: `is spelled '${other.table}' in ${other.key}` }
  }
  if (where.column !== other.where.column) {
    return {
      place,
      message: `${other.key} has the same table and names the column '${other.where.column}', not '${where.column}'`,
    }
  }
  if (where.value === other.where.value) {
    return { place, message: `${other.key} has the same table and the same constant` }
  }
  if (typeof where.value !== typeof other.where.value) {
    return {
      place,
      message: `its constant is a ${typeof where.value}, and that of ${other.key} a ${typeof other.where.value}`,
    }
  }
  const [ids, others] = [draft, other].map(({ id, idColumns, hasId }) => {
    return JSON.stringify([hasId, idColumns, id.stored, id.assignedBy])
  })
  if (ids !== others)
    return { place: `${key}.id`, message: `the ids of ${other.key}, which has the same table, are of another kind` }
  if (draft.isWritable !== other.isWritable) {
    return { place: `${key}.writable`, message: `${other.key}, which has the same table, says otherwise` }
  }
  if ((draft.tenant === undefined) !== (other.tenant === undefined)) {
    return { place: `${key}.tenant`, message: `${other.key}, which has the same table, says otherwise` }
  }
  return undefined
}

function problemOfColumns(draft: ResourceDraft, other: ResourceDraft): ModelProblem | undefined {
  const others = new Map(membersOf(other).map((member) => [member.column.toLowerCase(), member]))
  for (const member of membersOf(draft)) {
    const same = others.get(member.column.toLowerCase())
    if (same === undefined || contentsOf(member) === contentsOf(same)) continue
    const message = `its column '${member.column}' holds something else in ${other.key}, which has the same table`
    return { place: `${draft.key}.${member.name}`, message }
  }
  return undefined
}

/** The column is no field, neither of the resource itself nor of another one with the same table. */
function checkDiscriminatorColumn({ key, where }: ResourceDraft, of: ResourceDraft, problems: ModelProblem[]): void {
  if (where === undefined) return
  const column = where.column.toLowerCase()
  const names = [...membersOf(of).map((member) => member.column), ...of.idColumns].map((name) => name.toLowerCase())
  if (!names.includes(column)) return
  problems.push({
    place: `${key}.where`,
    message: `'${where.column}' is the column of a field or an id: its value is given by 'where'`,
  })
}

function membersOf(draft: ResourceDraft): readonly (Field | ForeignKey)[] {
  return [...draft.members, ...fieldsBeside(draft), ...draft.ownedBy]
}

function contentsOf(member: Field | ForeignKey): string {
  if (member.kind !== 'field') return JSON.stringify([member.column, member.target.table])
  return JSON.stringify([member.column, member.storage, textFormat(member.schema), member.stored])
}
