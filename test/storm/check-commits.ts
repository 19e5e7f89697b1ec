import type { Audited } from './audit-table.ts'
import type { Line, Write } from './history.ts'

/**
 * What is wrong with the calls of `afterCommit`; empty if nothing is. There is one for each resource of a write that was done, and none
 * for others. A call is lost only where its worker was killed, or where nobody knows whether the write was done.
 */
export function checkCommits(lines: readonly Line[], writes: readonly Write[], audit: readonly Audited[]): string[] {
  const wrong: string[] = []
  const changed = new Map<string, Set<string>>()
  for (const { token, key, action } of audit) {
    const call = `${token} ${key.split('/')[0]}`
    const rows = changed.get(call)
    if (rows === undefined) changed.set(call, new Set([`${action} ${key}`]))
    else rows.add(`${action} ${key}`)
  }
  const called = new Set<string>()
  const closed = new Set<string>()
  for (const line of lines) {
    if (line.line === 'closed') closed.add(`w${line.worker}`)
    if (line.line !== 'committed') continue
    const call = `${line.token} ${line.resource}`
    if (called.has(call)) wrong.push(`afterCommit is called twice for ${call}`)
    called.add(call)
    const stored = [...(changed.get(call) ?? [])].sort().join()
    const told = line.rows.toSorted().join()
    if (stored !== told) wrong.push(`afterCommit of ${call} is told of ${told}, but stored is ${stored}`)
  }
  const outcomes = new Map(writes.map(({ token, outcome }) => [token, outcome]))
  for (const call of changed.keys()) {
    const [token = ''] = call.split(' ')
    const mustBeCalled = outcomes.get(token) === 'done' && closed.has(token.split('.')[0] as string)
    if (mustBeCalled && !called.has(call)) wrong.push(`afterCommit is not called for ${call}`)
  }
  return wrong
}
