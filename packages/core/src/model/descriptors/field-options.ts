import { fieldAccessOf, problemsOfFieldAccess } from '../check/field-access.ts'
import { described } from '../check/foreign-schema.ts'
import type { Field, Member } from '../model.ts'
import type { JsonSchema } from './json-schema.ts'

/** Options that are true or false. */
const FLAGS = ['readOnly', 'writeOnly', 'summary', 'index'] as const

/** Who may see and set a field, how it is stored, and whether it has an index: keywords of its schema. Only at the top of the schema do they mean anything. */
export const FIELD_OPTIONS = [...FLAGS, 'access', 'stored', 'was'] as const

/** Reads the options off a field's schema. */
export function fieldOptionsOf(schema: JsonSchema): Pick<Field, 'readOnly' | 'writeOnly' | 'inSummary' | 'access'> {
  const writeOnly = schema.writeOnly === true
  return {
    readOnly: schema.readOnly === true,
    writeOnly,
    inSummary: !writeOnly && schema.summary !== false,
    access: fieldAccessOf(schema),
  }
}

/** What is wrong with the options of a field. */
export function problemsOfFieldOptions(schema: JsonSchema): readonly string[] {
  const problems = FLAGS.filter((option) => !['undefined', 'boolean'].includes(typeof schema[option])).map(
    (option) => `'${option}' must be true or false, not ${described(schema[option])}`,
  )
  if (schema.readOnly === true && schema.writeOnly === true) {
    problems.push(
      "a field cannot be both 'readOnly' and 'writeOnly': no request could set it, and no answer would contain it",
    )
  }
  if (schema.was !== undefined && (typeof schema.was !== 'string' || schema.was === '')) {
    problems.push(`'was' must be the name that the column had, not ${described(schema.was)}`)
  }
  return [...problems, ...problemsOfFieldAccess(schema)]
}

/** Whether only the database gives new rows a value of the field: no body and no rule may, and there is no default to take. */
export function isGivenByDatabase(field: Pick<Field, 'readOnly' | 'default' | 'setByRule'>): boolean {
  return field.readOnly && field.default === undefined && !field.setByRule
}

/** Whether the database gives some new rows a value of the field: those whose bodies have none, or whose callers may not set it. */
export function mayBeGivenByDatabase(field: Field): boolean {
  if (field.hasDbDefault || isGivenByDatabase(field)) return true
  return field.default === undefined && field.access?.Edit !== undefined && !field.setByRule
}

/** Whether the INSERT of a row with this value writes the column; undefined: the row has none. */
export function isInserted(member: Member, value: unknown): boolean {
  return member.kind === 'reference' ? !member.isTenant : value !== undefined
}
