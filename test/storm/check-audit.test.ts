import { describe, expect, test } from 'vitest'
import type { Audited, AuditedRow } from './audit-table.ts'
import { checkAudit } from './check-audit.ts'
import { checkCommits } from './check-commits.ts'
import type { CommittedLine, Write } from './history.ts'

const key = 'genre/1'
const noted = { key, text: 'w1.1.', mood: undefined, owner: undefined, isNew: true }

const post: Write = {
  ...{ line: 'sent', token: 'w1.1.', method: 'POST', path: '/api/genre', at: 0, until: 10, target: [], removes: false },
  ...{ sets: [], size: 1, outcome: 'done', status: 201, code: undefined, records: [noted], unshown: [] },
}
const patch: Write = {
  ...{ ...post, token: 'w1.2.', method: 'PATCH', path: '/api/genre/1', at: 20, until: 30, target: [key] },
  ...{ status: 200, records: [{ ...noted, text: 'w1.2.', isNew: false }] },
}
const writes = [post, patch]

const first = { id: 1, name: 'w1.1.', seen: [1, 2] }
const second = { id: 1, name: 'w1.2.', seen: [1, 2] }
const added: Audited = { key, token: 'w1.1.', action: 'Add', before: null, after: first }
const edited: Audited = { key, token: 'w1.2.', action: 'Edit', before: first, after: second }

const stored = (row?: AuditedRow) => new Map(row && [[key, row]])

describe('the check of an audit', () => {
  test('finds nothing wrong if each change is in it, in their order, and the last one is what is stored', () => {
    expect(checkAudit(writes, [added, edited], stored({ ...second, seen: [2, 1] }))).toEqual([])
  })

  test.each([
    ['a change that is missing', writes, [added], first],
    ['a new record that is missing', [post], [], undefined],
    ['a change that is there twice', writes, [added, edited, edited], second],
    ['changes in the wrong order', writes, [edited, added], first],
    ['a change that was refused', [post, { ...patch, outcome: 'refused' } as const], [added, edited], second],
    ['a change that nobody sent', [post], [added, edited], second],
    ['a record that is stored otherwise', writes, [added, edited], first],
    ['a record that is gone', writes, [added, edited], undefined],
    ['a change that does not begin with what was there', writes, [added, { ...edited, before: second }], second],
  ])('finds %s', (_, all, audit, row) => {
    expect(checkAudit(all, audit, stored(row))).not.toEqual([])
  })

  test('leaves it open whether a write without an answer was done, but the record has to agree', () => {
    const unknown = [post, { ...patch, outcome: 'unknown', records: [], until: Number.POSITIVE_INFINITY } as const]
    expect(checkAudit(unknown, [added, edited], stored(second))).toEqual([])
    expect(checkAudit(unknown, [added], stored(first))).toEqual([])
    expect(checkAudit(unknown, [added, edited], stored(first))).not.toEqual([])
    expect(checkAudit(unknown, [added], stored(second))).not.toEqual([])
  })
})

describe('the check of the calls of `afterCommit`', () => {
  const closed = { line: 'closed', worker: 1 } as const
  const call: CommittedLine = { line: 'committed', token: 'w1.1.', resource: 'genre', rows: [`Add ${key}`] }

  test('finds nothing wrong with one call for each write and resource', () => {
    expect(checkCommits([call, closed], [post], [added])).toEqual([])
  })

  test('finds one that is missing, unless its worker was killed', () => {
    expect(checkCommits([closed], [post], [added])).not.toEqual([])
    expect(checkCommits([], [post], [added])).toEqual([])
  })

  test.each([
    ['a second call', [call, call], [added]],
    ['a call for what was rolled back', [call], []],
    ['a call that lacks a row', [{ ...call, rows: [] }], [added]],
    ['a row that is told twice', [{ ...call, rows: [`Add ${key}`, `Add ${key}`] }], [added]],
  ])('finds %s', (_, lines, audit) => {
    expect(checkCommits(lines, [post], audit)).not.toEqual([])
  })
})
