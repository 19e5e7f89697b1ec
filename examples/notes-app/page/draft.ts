import type { Note } from './api.ts'

/** What one edits of a note. */
export interface Values {
  readonly title: string
  readonly text: string
  readonly notebookId: number
  readonly tags: readonly { readonly id: number; readonly name: string }[]
}

export type Field = keyof Values
const FIELDS: readonly Field[] = ['title', 'text', 'notebookId', 'tags']

/** A note as somebody edits it, and as it was when that began. */
export interface Draft {
  readonly base: Note
  readonly values: Values
}

export function valuesOf({ title, text, notebookId, tags }: Note): Values {
  return { title, text, notebookId, tags }
}

const idsOf = (tags: Values['tags']) => tags.map(({ id }) => id).sort((one, other) => one - other)

function isSame(field: Field, one: Values, other: Values): boolean {
  return field === 'tags' ? String(idsOf(one.tags)) === String(idsOf(other.tags)) : one[field] === other[field]
}

/** The fields that a draft changes. */
export function changedFields({ base, values }: Draft): readonly Field[] {
  return FIELDS.filter((field) => !isSame(field, valuesOf(base), values))
}

/** Of these, the ones that somebody else has changed meanwhile, to something else. */
export function conflictingFields(draft: Draft, theirs: Note): readonly Field[] {
  const before = valuesOf(draft.base)
  const now = valuesOf(theirs)
  return changedFields(draft).filter((field) => !isSame(field, before, now) && !isSame(field, draft.values, now))
}

/** The body of a PATCH that writes these fields, and nothing else. */
export function bodyOf(values: Values, fields: readonly Field[]) {
  const { title, text, notebookId, tags } = values
  const all = { title, text, notebookId, tags: tags.map(({ id }) => ({ id })) }
  return Object.fromEntries(fields.map((field) => [field, all[field]])) as Partial<typeof all>
}
