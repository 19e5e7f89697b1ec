import type { JsonSchema } from '../descriptors/json-schema.ts'
import type { FieldAccess } from '../values/described-value.ts'
import { described, isPlainObject } from './foreign-schema.ts'
import { didYouMean } from './suggest.ts'

const ACTIONS = ['View', 'Edit'] as const
/** What can be asked about whole resources. None of these is a role. */
const NO_ROLES = new Set(['View', 'Add', 'Edit', 'Delete'])

/** Reads `access` off a field's schema. Undefined if every caller may see and set the field. */
export function fieldAccessOf({ access }: JsonSchema): FieldAccess | undefined {
  if (!isPlainObject(access)) return undefined
  const View = rolesIn(access.View)
  const Edit = rolesIn(access.Edit)
  return View === undefined && Edit === undefined ? undefined : Object.freeze({ View, Edit })
}

function rolesIn(roles: unknown): readonly string[] | undefined {
  return Array.isArray(roles) ? Object.freeze(roles.filter((role) => typeof role === 'string')) : undefined
}

/** What is wrong with the `access` of a field. */
export function problemsOfFieldAccess({ access, readOnly, writeOnly }: JsonSchema): readonly string[] {
  if (access === undefined) return []
  if (!isPlainObject(access)) return [`'access' must be an object such as { View: ['hr'] }, not ${described(access)}`]
  const problems = Object.keys(access)
    .filter((name) => !ACTIONS.some((action) => action === name))
    .map((name) => `'access' has 'View' and 'Edit' only, not '${name}'${didYouMean(name, ACTIONS)}`)
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
