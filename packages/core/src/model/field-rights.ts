import type { Model } from './model.ts'
import type { DescribedValue } from './values/field-problems.ts'

/** Which fields and computed fields a caller may see and set. */
export interface FieldRights {
  /** Whether answers show the value, and queries may name it. */
  sees(value: DescribedValue): boolean
  /** Whether bodies may set the value. */
  sets(value: DescribedValue): boolean
}

/** Those of the system, and of every caller where no field has `access`. */
export const ALL_FIELDS = rightsWhere(() => true)

/** What at least one caller may see and set. */
export const FIELDS_OF_SOME = rightsWhere((allowed) => allowed.length > 0)

/** Those of callers with these roles. */
export function fieldRightsOf(roles: ReadonlySet<string>): FieldRights {
  return rightsWhere((allowed) => allowed.some((role) => roles.has(role)))
}

function rightsWhere(hasOneOf: (allowed: readonly string[]) => boolean): FieldRights {
  const isAllowed = (allowed: readonly string[] | undefined) => allowed === undefined || hasOneOf(allowed)
  return {
    sees: ({ writeOnly, access }) => !writeOnly && isAllowed(access?.View),
    sets: ({ readOnly, access }) => !readOnly && isAllowed(access?.Edit),
  }
}

/** Whether the caller knows the value. One that it may neither see nor set is like one that does not exist. */
export function knowsField({ sees, sets }: FieldRights, value: DescribedValue): boolean {
  return sees(value) || sets(value)
}

/** Tells apart the rights that different roles give to the fields of a model: two that allow the same have the same
 * key. */
export function fieldsKey(model: Model, roles: ReadonlySet<string>): string {
  return accessIn(model)
    .map((allowed) => (allowed === undefined || allowed.some((role) => roles.has(role)) ? '1' : '0'))
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
