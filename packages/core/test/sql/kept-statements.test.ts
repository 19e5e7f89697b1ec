import fc from 'fast-check'
import { CamelCasePlugin } from 'kysely'
import { describe, expect, test } from 'vitest'
import { seed } from '../../../../test/support/seed.ts'
import { queryContext } from '../../src/sql/context.ts'
import type { AnyKysely } from '../../src/sql/dialect/database.ts'
import { keptStatements, type Statements, statementsOf } from '../../src/sql/statements.ts'
import { Prepared } from '../../src/sql/text/prepare.ts'
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
  'plansWithoutValues',
  'sequences',
  'numbers',
  'repeats',
  'history',
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
        { seed, numRuns: 1 },
      )
    })

    test('what was compiled once is kept, whatever was asked for in between', () => {
      let kept = 0
      const counted = keptStatements({
        add(count) {
          kept += count
        },
      })
      const statements = statementsOf(context, counted)
      const asked = fc.sample(fc.oneof(...Object.values(anyAsk)), { seed, numRuns: 300 })
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

describe('Statements that stores keep together', () => {
  const postgres = noDatabase('postgres')
  const different = [
    postgres,
    noDatabase('sqlite'),
    postgres.withSchema('ink'),
    postgres.withPlugin(new CamelCasePlugin()),
  ]

  test('are those of databases that compile them alike', () => {
    const kept = keptStatements()
    const asked = fc.sample(fc.oneof(...Object.values(anyAsk)), { seed, numRuns: 500 })
    for (const ask of asked) {
      for (const context of different.map((db) => queryContext(db))) {
        expect(answerOf(ask, statementsOf(context, kept))).toEqual(answerOf(ask, statementsOf(context)))
      }
    }
  })

  test('are compiled for the first of such databases only', () => {
    let count = 0
    const kept = keptStatements({
      add(statements) {
        count += statements
      },
    })
    const asked = fc.sample(fc.oneof(...Object.values(anyAsk)), { seed, numRuns: 300 })
    const askAll = (db: AnyKysely) => {
      for (const ask of asked) answerOf(ask, statementsOf(queryContext(db), kept))
    }
    for (const db of different) {
      const before = count
      askAll(db)
      expect(count - before).toBeGreaterThan(100)
    }
    const all = count
    for (const db of [noDatabase('postgres'), noDatabase('sqlite'), noDatabase('postgres').withSchema('ink')])
      askAll(db)
    expect(count).toBe(all)
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
