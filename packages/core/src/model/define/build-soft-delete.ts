import type { JsonSchema } from '../descriptors/json-schema.ts'
import type { Field } from '../model.ts'
import { fieldCheck } from '../values/field-check.ts'
import { buildingOf, columnOf, type ResourceDraft } from './resource-draft.ts'

const MOMENT: JsonSchema = Object.freeze({ type: 'string', format: 'date-time' })

const checkMoment = fieldCheck(MOMENT, 'string')

/** Gives a resource the column of its deleted records. Only statements know it: no body sets it, no answer shows it, and no query names it. */
export function buildSoftDelete(draft: ResourceDraft): void {
  const name = buildingOf(draft).descriptor.softDelete
  if (name === undefined) return
  const field: Field = {
    kind: 'field',
    name,
    property: name,
    column: columnOf(draft, name),
    schema: MOMENT,
    storage: 'string',
    nullable: true,
    required: false,
    default: undefined,
    stored: undefined,
    was: undefined,
    hasDbDefault: false,
    constants: undefined,
    readOnly: true,
    writeOnly: true,
    inSummary: false,
    access: undefined,
    setByRule: true,
    position: -1,
    check: checkMoment,
  }
  draft.softDelete = Object.freeze(field)
}
