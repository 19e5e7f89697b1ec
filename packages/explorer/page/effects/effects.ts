import type { Row } from '../model/model.ts'

/** What a write does, as the service says it: see the page on effects. */
export interface Effects {
  readonly effects: 1
  readonly changes: readonly Change[]
}

export interface Change {
  readonly action: 'Add' | 'Edit' | 'Delete' | 'Link' | 'Unlink'
  readonly resource: string
  readonly id: unknown
  readonly relation?: string
  readonly to?: unknown
  readonly because?: string
  readonly before?: Row
  readonly after?: Row
  readonly soft?: true
}

const WHY: Readonly<Record<string, string>> = {
  leftOut: 'is not listed any more',
  ownerDeleted: 'goes with its owner',
  referenceDeleted: 'refers to what is deleted',
  linkedRecordDeleted: 'is linked with what is deleted',
  order: 'has another place',
  set: 'by a rule',
  rule: 'by a rule',
}

const VERBS: Readonly<Record<Change['action'], string>> = {
  Add: 'added',
  Edit: 'changed',
  Delete: 'deleted',
  Link: 'linked',
  Unlink: 'unlinked',
}

/** How many records of each resource the write adds, changes and deletes: `2 line deleted`. */
export function summaryOf({ changes }: Effects): readonly string[] {
  const counts = new Map<string, number>()
  for (const { action, resource } of changes) {
    const words = `${resource} ${VERBS[action]}`
    counts.set(words, (counts.get(words) ?? 0) + 1)
  }
  return [...counts].map(([words, count]) => `${count} ${words}`)
}

/** One change in words: what, and what for. */
export function wordsOfChange({ action, resource, id, relation, to, because, before, after }: Change): string {
  const who = `${resource} ${id === null || id === undefined ? '(new)' : String(id)}`
  const why = because === undefined ? '' : ` · ${WHY[because] ?? because}`
  if (action === 'Link' || action === 'Unlink') return `${who}: ${relation} ${String(to)} ${VERBS[action]}${why}`
  if (action === 'Edit') {
    const names = Object.keys({ ...before, ...after })
    const values = names.map((name) => `${name} ${said(before?.[name])} → ${said(after?.[name])}`)
    return `${who} changed${values.length > 0 ? `: ${values.join(', ')}` : ''}${why}`
  }
  return `${who} ${VERBS[action]}${why}`
}

const said = (value: unknown): string =>
  value === undefined || value === null ? 'nothing' : typeof value === 'object' ? JSON.stringify(value) : String(value)
