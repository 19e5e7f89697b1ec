import { unknownEntries } from '../check/entries.ts'
import { described, isPlainObject } from '../check/foreign-schema.ts'
import type { Field, Member } from '../model.ts'
import type { FieldAccess } from '../values/field-problems.ts'
import type { JsonSchema } from '../values/schema-facts.ts'

/** Options that are true or false. */
const FLAGS = ['readOnly', 'writeOnly', 'summary', 'index'] as const

/** Who may see and set a field, how it is stored, and whether it has an index: keywords of its schema. Only at the top
 * of the schema do they mean anything. */
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

/** Whether only the database gives new rows a value of the field: no body and no rule may, and there is no default to
 * take. */
export function isGivenByDatabase(field: Pick<Field, 'readOnly' | 'default' | 'setByRule'>): boolean {
  return field.readOnly && field.default === undefined && !field.setByRule
}

/** Whether the database gives some new rows a value of the field: those whose bodies have none, or whose callers may
 * not set it. */
export function mayBeGivenByDatabase(field: Field): boolean {
  if (field.hasDbDefault || isGivenByDatabase(field)) return true
  return field.default === undefined && field.access?.Edit !== undefined && !field.setByRule
}

/** Whether the INSERT of a row with this value writes the column; undefined: the row has none. */
export function isInserted(member: Member, value: unknown): boolean {
  return member.kind === 'reference' ? !member.isFixed : value !== undefined
}

const ACTIONS = ['View', 'Edit'] as const
/** What can be asked about whole resources. None of these is a role. */
const NO_ROLES = new Set(['View', 'Add', 'Edit', 'Delete'])

/** Reads `access` off a field's schema. Undefined if every caller may see and set the field. */
function fieldAccessOf({ access }: JsonSchema): FieldAccess | undefined {
  if (!isPlainObject(access)) return undefined
  const View = rolesIn(access.View)
  const Edit = rolesIn(access.Edit)
  return View === undefined && Edit === undefined ? undefined : Object.freeze({ View, Edit })
}

function rolesIn(roles: unknown): readonly string[] | undefined {
  return Array.isArray(roles) ? Object.freeze(roles.filter((role) => typeof role === 'string')) : undefined
}

/** What is wrong with the `access` of a field. */
function problemsOfFieldAccess({ access, readOnly, writeOnly }: JsonSchema): readonly string[] {
  if (access === undefined) return []
  if (!isPlainObject(access)) return [`'access' must be an object such as { View: ['hr'] }, not ${described(access)}`]
  const problems = unknownEntries(access, ACTIONS, "'access' has 'View' and 'Edit' only, not")
  for (const action of ACTIONS) problems.push(...problemsOfRoles(action, access[action]))
  if (readOnly === true && access.Edit !== undefined) {
    problems.push("a 'readOnly' field cannot have 'access.Edit': no request can set it")
  }
  if (writeOnly === true && access.View !== undefined) {
    problems.push("a 'writeOnly' field cannot have 'access.View': no answer contains it")
  }
  return problems
}

function problemsOfRoles(action: string, roles: unknown): readonly string[] {
  if (roles === undefined) return []
  if (!Array.isArray(roles)) return [`'access.${action}' must be an array of roles, not ${described(roles)}`]
  return roles.flatMap((role: unknown) => {
    if (typeof role !== 'string') return [`'access.${action}': a role is a text, not ${described(role)}`]
    if (role === '') return [`'access.${action}': a role must not be empty`]
    return NO_ROLES.has(role) ? [`'access.${action}': '${role}' is an action and cannot be a role`] : []
  })
}
