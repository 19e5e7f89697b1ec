import type { ModelProblem } from '../../errors.ts'
import type { ResourceDraft } from '../define/resource-draft.ts'
import type { Field, ForeignKey } from '../model.ts'
import { textFormat } from '../values/text-format.ts'

/**
 * Two resources share a table only if a constant in one column tells their rows apart: a row in both would be reached past the policies of
 * the other one.
 */
export function checkSharedTables(drafts: ReadonlyMap<string, ResourceDraft>, problems: ModelProblem[]): void {
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

function membersOf({ fields, softDelete, ownedBy, references }: ResourceDraft): readonly (Field | ForeignKey)[] {
  return [...fields, ...(softDelete === undefined ? [] : [softDelete]), ...ownedBy, ...references]
}

function contentsOf(member: Field | ForeignKey): string {
  if (member.kind !== 'field') return JSON.stringify([member.column, member.target.table])
  return JSON.stringify([member.column, member.storage, textFormat(member.schema), member.stored])
}
