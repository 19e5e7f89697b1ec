import { nameOfProperty, type SelectedProperty, type Selection } from '../../asking/select/selection.ts'
import type { Id } from '../../model/ids/id-kind.ts'
import type { Computed, Field, Resource } from '../../model/model.ts'
import { parseJson } from '../../model/values/long-number.ts'
import type { RecordData } from '../../planning/rows.ts'
import { UNSHOWN } from '../dialect/dialect.ts'

/** A value that no record can show. */
export interface UnshownValue {
  readonly resource: Resource
  readonly field: Field | Computed
  /** Of the row that holds it. */
  readonly id: Id
}

/** Is told of values that were left out of an answer. */
export type NoteUnshown = (values: readonly UnshownValue[]) => void

/** JSON from the database in which some records have values that cannot be shown. */
export interface WithUnshown {
  /** All of it, with a text in place of each of these values. */
  readonly data: unknown
  /** Takes them out of a record. It, and all that own it, are marked as partial, so that no PUT takes them back. */
  leaveOut(selection: Selection, record: RecordData): void
  /** What was taken out so far. */
  readonly found: readonly UnshownValue[]
}

type Marked = RecordData & { partial?: true }

/** Reads JSON in which something is {@link UNSHOWN}; undefined where nothing is. */
export function readUnshown(json: string): WithUnshown | undefined {
  if (!json.includes(UNSHOWN)) return undefined
  // No value of a record is the same text, however it is escaped.
  const mark = crypto.randomUUID()
  const found: UnshownValue[] = []

  /** Returns whether the record is partial because of it. */
  function leaveOut({ resource, properties }: Selection, record: Marked): boolean {
    // Each of them, whatever has been found before.
    const lacking = properties.filter((property) => leaveOutOf(resource, property, record))
    if (lacking.length > 0) record.partial = true
    return lacking.length > 0
  }

  function leaveOutOf(resource: Resource, property: SelectedProperty, record: Marked): boolean {
    const name = nameOfProperty(property)
    const value = record[name]
    switch (property.kind) {
      case 'field':
      case 'computed': {
        if (value !== mark) return false
        delete (record as Record<string, unknown>)[name]
        const field = property.kind === 'field' ? property.field : property.computed
        found.push({ resource, field, id: record.id })
        return true
      }
      case 'owned':
        return ofAll(property.records, value)
      case 'chosen':
        return ofAll(property.records, value) && property.relation.kind === 'owns'
      case 'descendants':
        return ofDescendants(property.records, value as readonly Descendant[])
      case 'link':
        if (property.records !== undefined) ofAll(property.records, value)
        return false
      case 'reference':
      case 'single':
        ofAll(property.record, value)
        return false
      case 'foreignKey':
      case 'children':
      case 'count':
        return false
    }
  }

  function ofAll(selection: Selection, value: unknown): boolean {
    const records = [value ?? []].flat() as Marked[]
    return records.filter((record) => leaveOut(selection, record)).length > 0
  }

  /** Does not recurse along a tree, which may be of any depth. */
  function ofDescendants(selection: Selection, descendants: readonly Descendant[]): boolean {
    const lacking = descendants.filter(([, , record]) => leaveOut(selection, record))
    const byId = new Map(descendants.map((descendant) => [descendant[2].id, descendant]))
    for (const [, owner] of lacking) {
      for (let up = byId.get(owner); up !== undefined && up[2].partial !== true; up = byId.get(up[1])) {
        up[2].partial = true
      }
    }
    return lacking.length > 0
  }

  return {
    data: parseJson(json.replaceAll(UNSHOWN, JSON.stringify(mark))),
    leaveOut,
    found,
  }
}

/** As `recordJson` writes it: the index of the relation, the id of the owner, the record. */
type Descendant = readonly [relation: number, owner: Id, record: Marked]
