import { isDeepStrictEqual } from 'node:util'
import type { Audited, AuditedRow } from './audit-table.ts'
import { describe, type Key, type Write } from './history.ts'

/** The rows at the end, as rules see them, by their records. */
export type StoredRows = ReadonlyMap<Key, AuditedRow>

/**
 * What is wrong with the audit, given all that was written and what is there at the end; empty if nothing is. It has a row for each
 * change that was acknowledged, and none for what was refused. What got no answer may be in it: then the records show it, too.
 */
export function checkAudit(writes: readonly Write[], audit: readonly Audited[], stored: StoredRows): string[] {
  const byToken = Map.groupBy(audit, ({ token }) => token)
  return [
    ...twice(audit),
    ...notDone(writes, byToken),
    ...writes.flatMap((write) => (write.outcome === 'done' ? missing(write, byToken.get(write.token) ?? []) : [])),
    ...inWrongOrder(writes, audit),
    ...replay(audit, stored),
  ]
}

function twice(audit: readonly Audited[]): string[] {
  const seen = new Set<string>()
  return audit.flatMap(({ token, key }) => {
    const name = `${token} ${key}`
    if (seen.has(name)) return [`the audit has ${key} twice for ${token}`]
    seen.add(name)
    return []
  })
}

function notDone(writes: readonly Write[], byToken: ReadonlyMap<string, readonly Audited[]>): string[] {
  const known = new Map(writes.map((write) => [write.token, write]))
  return [...byToken].flatMap(([token, rows]) => {
    const write = known.get(token)
    if (write === undefined) return [`the audit has rows of '${token}', which nobody sent`]
    return write.outcome === 'refused' ? [`the audit has ${rows.length} rows of ${describe(write)}`] : []
  })
}

/** Changes of a write, as its answer tells them, that the audit does not have, and new records in it that the answer does not show. */
function missing(write: Write, rows: readonly Audited[]): string[] {
  const actions = new Map(rows.map(({ key, action }) => [key, action]))
  const target = write.target.at(-1)
  const wrong: string[] = []
  // Rules have seen what goes for good when it was deleted.
  const isPurge = write.path.includes('/$deleted/')
  if (write.method === 'DELETE' && !isPurge && write.many === undefined && actions.get(target as Key) !== 'Delete')
    wrong.push(`${target} is not deleted`)
  const deleted = write.many?.filter((key) => actions.get(key) === 'Delete').length
  if (write.count !== undefined && write.count !== deleted) wrong.push(`${deleted} deleted instead of ${write.count}`)
  for (const { key, text, isNew } of write.records) {
    if (text?.startsWith(write.token) !== true) continue
    const action = actions.get(key)
    const isRight = isNew ? action === 'Add' : action === 'Add' || action === 'Edit'
    if (!isRight) wrong.push(`${key} is ${action ?? 'not there'}`)
  }
  const shown = new Set(write.records.map(({ key }) => key))
  for (const { key, action } of rows) {
    if (action === 'Add' && !shown.has(key)) wrong.push(`${key} is added, but not shown`)
    if (action === 'Delete' && shown.has(key)) wrong.push(`${key} is deleted, but shown`)
  }
  if (write.method === 'POST') {
    const added = rows.filter(({ action }) => action === 'Add').length
    if (added !== write.records.length) wrong.push(`${added} added instead of ${write.records.length}`)
  }
  return wrong.map((what) => `in the audit of ${describe(write)} ${what}`)
}

/** Rows of one record whose writes came the other way round. */
function inWrongOrder(writes: readonly Write[], audit: readonly Audited[]): string[] {
  const known = new Map(writes.map((write) => [write.token, write]))
  const latest = new Map<Key, Write>()
  return audit.flatMap(({ key, token }) => {
    const write = known.get(token)
    const before = latest.get(key)
    if (write === undefined) return []
    latest.set(key, write)
    const isWrong = before !== undefined && write.until < before.at
    return isWrong ? [`the audit of ${key} has ${describe(write)} behind ${describe(before)}`] : []
  })
}

/** Does all changes of the audit again: each has to begin with what was there, and what is left has to be what is stored. */
function replay(audit: readonly Audited[], stored: StoredRows): string[] {
  const rows = new Map<Key, AuditedRow>()
  const wrong: string[] = []
  for (const { key, token, action, before, after } of audit) {
    const now = rows.get(key)
    if (after === null) rows.delete(key)
    else rows.set(key, after)
    const isAdd = action === 'Add'
    if (isAdd !== (before === null) || (action === 'Delete') !== (after === null))
      wrong.push(`${token} ${action} ${key}`)
    if (isAdd !== (now === undefined)) wrong.push(`${token} ${action} ${key}, which is${isAdd ? '' : ' not'} there`)
    else if (!isAdd) wrong.push(...differences(`${token} ${action} ${key} begins with`, before, now))
    if (action === 'Edit' && isDeepStrictEqual(before, after)) wrong.push(`${token} changes nothing in ${key}`)
  }
  for (const [key, row] of rows) {
    const found = stored.get(key)
    if (found === undefined) wrong.push(`${key} is gone, but not in the audit`)
    else wrong.push(...differences(`${key} is left with`, found, row))
  }
  for (const key of stored.keys()) if (!rows.has(key)) wrong.push(`${key} is there, but not in the audit`)
  return wrong
}

function differences(what: string, found: AuditedRow | null, expected: AuditedRow | undefined): string[] {
  const names = new Set([...Object.keys(found ?? {}), ...Object.keys(expected ?? {})])
  return [...names].flatMap((name) => {
    const [one, other] = [comparable(found?.[name]), comparable(expected?.[name])]
    return isDeepStrictEqual(one, other)
      ? []
      : [`${what} ${name} ${JSON.stringify(one)}, and not with ${JSON.stringify(other)}`]
  })
}

/** The ids of links are a set. */
function comparable(value: unknown): unknown {
  return Array.isArray(value) ? value.toSorted((one, other) => (one < other ? -1 : 1)) : value
}
