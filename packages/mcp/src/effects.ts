import type { EffectChange, Effects } from 'fastify-crud'

const VERBS = { Add: 'adds', Edit: 'changes', Delete: 'deletes', Link: 'links', Unlink: 'unlinks' }

const REASONS: Readonly<Record<string, string>> = {
  leftOut: 'the body leaves it out',
  ownerDeleted: 'its owner goes',
  referenceDeleted: 'what it refers to goes',
  linkedRecordDeleted: 'what it is linked to goes',
  order: 'its place changes',
  set: 'a rule sets it',
  rule: 'a rule writes it',
  undo: 'it is undone',
}

/** So many changes are said one by one. */
const MOST_LINES = 100
const LONGEST_VALUE = 60

/** The effects in words: how many of each kind, then one line for each. */
export function inWords({ changes }: Pick<Effects, 'changes'>): string {
  if (changes.length === 0) return 'nothing changes'
  const counts = new Map<string, number>()
  for (const { action, resource } of changes) {
    const kind = `${VERBS[action]} ${resource}`
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const summary = [...counts].map(([kind, count]) => `${kind}: ${count}`).join('; ')
  const lines = changes.slice(0, MOST_LINES).map((change) => `- ${inOneLine(change)}${reasonOf(change)}`)
  const more = changes.length - lines.length
  return [summary, ...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n')
}

function inOneLine(change: EffectChange): string {
  const { action, resource, id } = change
  const record = `${resource} ${idInWords(id ?? change)}`
  if ('relation' in change) {
    const to = idInWords(change.to)
    if (action === 'Edit') return `gives ${to} another place in ${change.relation} of ${record}`
    return `${VERBS[action]} ${record} ${action === 'Link' ? 'to' : 'from'} ${to} (${change.relation})`
  }
  const { within } = change
  const owner = within === undefined ? '' : ` of ${within[0]} ${idInWords(within[1])}`
  return `${VERBS[action]} ${record}${owner}${valuesOf(change)}`
}

function reasonOf({ because }: EffectChange): string {
  return because === undefined ? '' : ` (${REASONS[because] ?? because})`
}

/** An id, or a new record that has none yet. */
function idInWords(id: unknown): string {
  if (typeof id !== 'object' || id === null) return String(id)
  const { new: number } = id as { readonly new?: number }
  return number === undefined ? '(new)' : `(new ${number})`
}

function valuesOf({ action, before = {}, after = {} }: ChangedRow): string {
  const values =
    action === 'Edit'
      ? Object.keys({ ...before, ...after }).map((name) => `${name} ${short(before[name])} → ${short(after[name])}`)
      : action === 'Add'
        ? Object.entries(after).map(([name, value]) => `${name} ${short(value)}`)
        : []
  return values.length === 0 ? '' : `: ${values.join(', ')}`
}

type ChangedRow = Exclude<EffectChange, { readonly relation: string }>

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
}
