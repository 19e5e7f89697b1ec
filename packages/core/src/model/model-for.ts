import { withMembers } from './build/with-members.ts'
import type { Descriptors } from './descriptors/descriptors.ts'
import type { Computed, Field, Model } from './model.ts'

/**
 * The model as callers with these roles have it. A field that they may only see is read-only in it, and one that they may
 * only set is write-only. A field of which they may do neither is hidden: it is in no record and no body, but it stays part
 * of the row. The model itself has every field as the system sees it. Computed fields that they may not see are not in it.
 *
 * Returns the model itself if nothing differs. Otherwise each call builds another one, so keep what it returns.
 */
export function modelFor<D extends Descriptors>(model: Model<D>, roles: ReadonlySet<string>): Model<D> {
  return withMembers(model, {
    fieldFor: (field) => fieldFor(field, roles),
    keeps: ({ access }) => hasOneOf(access?.View, roles),
  })
}

/** Tells apart what {@link modelFor} makes for different roles: where it is the same, so is the model. */
export function fieldsKey(model: Model, roles: ReadonlySet<string>): string {
  return valuesOf(model)
    .flatMap(({ access }) => (access === undefined ? [] : [access.View, access.Edit]))
    .map((allowed) => (hasOneOf(allowed, roles) ? '1' : '0'))
    .join('')
}

/** The roles that `access` of any field names. No other role makes a difference to {@link modelFor}. */
export function rolesInFields(model: Model): ReadonlySet<string> {
  return new Set(valuesOf(model).flatMap(({ access }) => [...(access?.View ?? []), ...(access?.Edit ?? [])]))
}

function valuesOf({ resources }: Model): readonly (Field | Computed)[] {
  return [...resources.values()].flatMap(({ fields, computed }) => [...fields, ...computed])
}

function fieldFor(field: Field, roles: ReadonlySet<string>): Field {
  const maySee = hasOneOf(field.access?.View, roles)
  const maySet = hasOneOf(field.access?.Edit, roles)
  if (maySee && maySet) return field
  return Object.freeze({
    ...field,
    required: field.required && maySet,
    readOnly: field.readOnly || !maySet,
    writeOnly: field.writeOnly || !maySee,
    inSummary: field.inSummary && maySee,
  })
}

function hasOneOf(allowed: readonly string[] | undefined, roles: ReadonlySet<string>): boolean {
  return allowed === undefined || allowed.some((role) => roles.has(role))
}
