import type { Computed, Field, Model } from './model.ts'

/** Which fields a caller may see and set. */
export interface FieldRights {
  /** Whether answers show the value, and queries may name it. */
  sees(value: Field | Computed): boolean
  /** Whether bodies may set the field. */
  sets(field: Field): boolean
}

/** Those of the system, and of every caller where no field has `access`. */
export const ALL_FIELDS: FieldRights = {
  sees: ({ writeOnly }) => !writeOnly,
  sets: ({ readOnly }) => !readOnly,
}

/** Whether the caller knows the field. One that it may neither see nor set is like one that does not exist. */
export function knowsField({ sees, sets }: FieldRights, field: Field): boolean {
  return sees(field) || sets(field)
}

/** Those of callers with these roles. */
export function fieldRightsOf(roles: ReadonlySet<string>): FieldRights {
  return {
    sees: ({ writeOnly, access }) => !writeOnly && hasOneOf(access?.View, roles),
    sets: ({ readOnly, access }) => !readOnly && hasOneOf(access?.Edit, roles),
  }
}

/** Tells apart the rights that different roles give to the fields of a model: two that allow the same have the same key. */
export function fieldsKey(model: Model, roles: ReadonlySet<string>): string {
  return accessIn(model)
    .map((allowed) => (hasOneOf(allowed, roles) ? '1' : '0'))
    .join('')
}

/** Whether some callers may not see or set every field. */
export function limitsFields(model: Model): boolean {
  return accessIn(model).some((allowed) => allowed !== undefined)
}

/** The roles that `access` of any field names. No other role makes a difference to {@link fieldRightsOf}. */
export function rolesInFields(model: Model): ReadonlySet<string> {
  return new Set(accessIn(model).flatMap((allowed) => allowed ?? []))
}

function accessIn({ resources }: Model): readonly (readonly string[] | undefined)[] {
  const values = [...resources.values()].flatMap(({ fields, computed }) => [...fields, ...computed])
  return values.flatMap(({ access }) => (access === undefined ? [] : [access.View, access.Edit]))
}

function hasOneOf(allowed: readonly string[] | undefined, roles: ReadonlySet<string>): boolean {
  return allowed === undefined || allowed.some((role) => roles.has(role))
}
