import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { queryContext } from '../../src/query/context.ts'
import { type Statements, statementsOf } from '../../src/query/statements.ts'
import { Prepared } from '../../src/query/text/prepare.ts'
import { noDatabase } from '../store/fake-sessions.ts'
import { differentRights } from './any-model.ts'
import { type Ask, anyAsk } from './any-statement.ts'

// A statement that is kept for other arguments than it was made of would run in the place of another, perhaps without its policy.

const ASKED_EACH = 150

/** These are no statements, or there is only one of them. */
const OTHERS = [
  'maxAnswer',
  'fieldRights',
  'noteUnshown',
  'queryValues',
  'groupValues',
  'deferForeignKeys',
  'sequences',
  'pipelined',
]

describe.each(['sqlite', 'postgres'] as const)('On %s', (database) => {
  describe.each([
    ['with policies', differentRights()],
    ['without policies', undefined],
  ])('%s', (_, rights) => {
    const context = queryContext(noDatabase(database), { rights })

    test.each(Object.entries(anyAsk))('what is kept of %s is what would be compiled anew', (_, asks) => {
      fc.assert(
        fc.property(fc.array(asks, { minLength: ASKED_EACH, maxLength: ASKED_EACH, size: 'max' }), (asked) => {
          const statements = statementsOf(context)
          for (const ask of asked) expect(answerOf(ask, statements)).toEqual(answerOf(ask, statementsOf(context)))
        }),
        { numRuns: 1 },
      )
    })

    test('what was compiled once is kept, whatever was asked for in between', () => {
      let kept = 0
      const statements = statementsOf(context, {
        add(count) {
          kept += count
        },
      })
      const asked = fc.sample(fc.oneof(...Object.values(anyAsk)), 300)
      for (const ask of asked) answerOf(ask, statements)
      const before = kept
      expect(before).toBeGreaterThan(100)
      for (const ask of asked.toReversed()) answerOf(ask, statements)
      expect(kept).toBe(before)
    })

    test('every statement that can be asked for is asked for here', () => {
      const statements = statementsOf(context)
      const kinds = [
        ...Object.keys(statements),
        ...Object.keys(statements.pipelined ?? {}).map((kind) => `pipelined.${kind}`),
      ]
      const listed = Object.keys(anyAsk).filter(
        (kind) => statements.pipelined !== undefined || !kind.startsWith('pipelined.'),
      )
      expect(kinds.sort()).toEqual([...listed, ...OTHERS].sort())
    })
  })
})

/** The SQL of statements, and all values besides. */
function answerOf(ask: Ask, statements: Statements): unknown {
  try {
    return JSON.parse(JSON.stringify([ask(statements)], (_, value) => (value instanceof Prepared ? value.sql : value)))
  } catch (error) {
    return String(error)
  }
}
