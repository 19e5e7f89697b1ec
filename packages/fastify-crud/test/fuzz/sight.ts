import type { Resource } from '@fastify-crud/core/internal'
import { type Caller, mayDo } from './callers.ts'
import type { FuzzSubject } from './fuzz-service.ts'
import { marksIn } from './marks.ts'
import type { RowAction } from './row-rules.ts'
import { keyColumnOf, type StoredRow, type StoredRows } from './stored-rows.ts'

type Field = Resource['fields'][number]

/** What a caller may see and do of what is stored. */
export interface Sight {
  readonly caller: Caller
  /** The row of that resource; undefined if there is none. */
  row(resource: Resource, id: unknown): StoredRow | undefined
  /** Whether there is such a record that the caller sees, whoever the resource is shown to. */
  sees(resource: Resource, id: unknown): boolean
  /** Whether the policies allow it. Without one, those of the owner are asked. */
  allows(action: RowAction, resource: Resource, row: StoredRow): boolean
  /** The ids, as texts, of the records that the caller sees for which something holds. */
  idsOf(resource: Resource, holds: (row: StoredRow) => boolean): readonly string[]
  /** All rows of a table, whoever sees them. */
  rowsOf(table: string): readonly StoredRow[]
  /** Whether a text that is marked so stands in a field that the caller sees. */
  seesMark(text: string): boolean
}

/** The sight of a caller over the rows of a moment. */
export function sightOf({ resources: model, rowRules }: FuzzSubject, caller: Caller, stored: StoredRows): Sight {
  const parsed = new Map<string, ReadonlyMap<string, StoredRow>>()
  const rowsOf = (table: string): ReadonlyMap<string, StoredRow> => {
    const known = parsed.get(table)
    if (known !== undefined) return known
    const rows = new Map([...(stored.get(table) ?? [])].map(([id, line]) => [id, JSON.parse(line) as StoredRow]))
    parsed.set(table, rows)
    return rows
  }
  const row: Sight['row'] = ({ table }, id) => rowsOf(table).get(String(id))
  const ownerOf = (resource: Resource, one: StoredRow): readonly [Resource, StoredRow | undefined] | undefined => {
    const by = resource.ownedBy.find(({ column }) => one[column] !== null)
    return by === undefined ? undefined : [by.target, row(by.target, one[by.column])]
  }
  const isShown = (resource: Resource, one: StoredRow): boolean => {
    if (rowRules[resource.key]?.(caller, 'View', one) === false) return false
    const owner = ownerOf(resource, one)
    return owner === undefined || (owner[1] !== undefined && isShown(owner[0], owner[1]))
  }
  const allows: Sight['allows'] = (action, resource, one) => {
    const rule = rowRules[resource.key]
    if (rule !== undefined) return rule(caller, action, one)
    const owner = ownerOf(resource, one)
    if (owner === undefined) return true
    const asked = action === 'Add' || action === 'EditAfter' ? 'EditAfter' : 'EditBefore'
    return owner[1] !== undefined && allows(asked, owner[0], owner[1])
  }
  const sees: Sight['sees'] = (resource, id) => {
    const one = row(resource, id)
    return one !== undefined && isShown(resource, one)
  }
  let marks: ReadonlySet<string> | undefined
  return {
    caller,
    row,
    sees,
    allows,
    idsOf: (resource, holds) =>
      [...rowsOf(resource.table).values()]
        .filter((one) => holds(one) && isShown(resource, one))
        .map((one) => String(one[keyColumnOf(resource)])),
    rowsOf: (table) => [...rowsOf(table).values()],
    seesMark(text) {
      marks ??= new Set(
        [...model.resources.values()].flatMap((resource) => {
          if (!mayDo(caller, 'View', resource.key)) return []
          const columns = resource.fields.filter((field) => seesField(caller, field)).map(({ column }) => column)
          const shown = [...rowsOf(resource.table).values()].filter((one) => isShown(resource, one))
          return shown.flatMap((one) =>
            columns.flatMap((column) => marksIn(JSON.stringify(one[column] ?? null)).map((mark) => mark.text)),
          )
        }),
      )
      return marks.has(text)
    },
  }
}

/** Whether a body of the caller's may set the field. */
export function setsField({ roles }: Caller, { access }: Field): boolean {
  return access?.Edit?.some((role) => roles.includes(role)) ?? true
}

/** Whether the caller is shown the field, where the record is. */
export function seesField({ roles }: Caller, { writeOnly, access }: Field): boolean {
  return !writeOnly && (access?.View?.some((role) => roles.includes(role)) ?? true)
}
