import { describe, expect, test } from 'vitest'
import { databases } from '../../../../../test/support/databases.ts'
import { readPolicies, rightsOf } from '../../../src/asking/policies/read-policies.ts'
import type { GuardedRows, PlannedRow } from '../../../src/planning/decide/guarded-rows.ts'
import { noLookups } from '../../../src/planning/decide/lookups.ts'
import { type NewIds, NO_NEW_IDS, newIdsOf } from '../../../src/planning/order/new-ids.ts'
import { ALLOWED } from '../../../src/sql/checks/allowed-query.ts'
import { NOT_ALLOWED, RIGHT_LOST } from '../../../src/sql/dialect/dialect.ts'
import { albums, resourceOf, someAlbums } from '../albums.ts'
import { inFull, membersOf, newRow, type Trial, useTrials } from '../rolled-back.ts'
import { changesOf, inserting, insertOf } from '../steps/one-step.ts'

/** A caller has the albums of one label, with all that they own. */
const policies = {
  label: true,
  artist: true,
  playlist: true,
  ticket: true,
  group: true,
  album: ({ eb, my }: never) => (eb as CallableFunction)('labelId', '=', (my as CallableFunction)('label', 'integer')),
}
const rights = rightsOf(readPolicies(albums, policies), new Set())

const ofOthers = `update album set "labelId" = 2 where id = 112`
const album = resourceOf('album')

describe.each(databases)('policies ($name)', (database) => {
  const trial = useTrials(database, albums, [...someAlbums, ofOthers], rights)
  const snapshot = (name: string) => `./sql/${name}.${database.name}.sql`

  const guard = (action: GuardedRows['action'], when: GuardedRows['when'], ...ids: GuardedKeys): GuardedRows => ({
    resource: album,
    action,
    when,
    rows: new Map(ids.map((id) => [id, '/pointer'])),
  })

  /** What the query answers, or the message of the error with which it fails. */
  const answerOf = async (trial: Trial, guarded: readonly GuardedRows[], newIds: NewIds = NO_NEW_IDS) => {
    const allowed = trial.statements.allowed(guarded, newIds) ?? expect.unreachable('a policy has to be asked')
    return trial.value(allowed.query, allowed.values).catch(({ message }: Error) => message)
  }
  const isBatched = database.name === 'postgres'
  const yes = isBatched ? null : ALLOWED
  const no = (message: string) => (isBatched ? expect.stringContaining(message) : 'forbidden')

  test('are not asked about resources whose rows all callers have', () =>
    trial(async ({ statements }) => {
      const rows = new Map([[1, undefined]])
      const guarded = { resource: resourceOf('label'), action: 'Delete', rows, when: 'once' } as const
      expect(statements.allowed([guarded], NO_NEW_IDS)).toBeUndefined()
    }))

  test('are asked about stored rows by their ids, in one statement', () =>
    trial(async (trial) => {
      const allowed = trial.statements.allowed([guard('EditAfter', 'once', 111)], NO_NEW_IDS)
      if (allowed === undefined) expect.unreachable()
      await expect(inFull(allowed.query, allowed.values)).toMatchFileSnapshot(snapshot('allowed'))
      expect(await trial.value(allowed.query, allowed.values)).toBe(yes)
    }))

  test('say no if they forbid one of the rows', () =>
    trial(async (trial) => {
      expect(await answerOf(trial, [guard('EditAfter', 'once', 111, 112)])).toEqual(no(NOT_ALLOWED))
    }))

  test('tell a right that was taken away from one that was never there', () =>
    trial(async (trial) => {
      expect(await answerOf(trial, [guard('EditAfter', 'again', 112)])).toEqual(no(RIGHT_LOST))
    }))

  test('are asked about the new row whose id the transaction keeps', () =>
    trial(async (trial) => {
      const { pipelined, steps } = trial.statements
      for (const [labelId, answer] of [
        [1, yes],
        [2, no(NOT_ALLOWED)],
      ] as const) {
        const values = { title: 'New', shelf: null, facts: null, labelId, openerId: null }
        const step = inserting('album', insertOf('album', 0, values))
        const guarded = [guard('Add', 'once', newRow(0))]
        const newIds = newIdsOf(changesOf([step], newRow(0)), guarded, isBatched)
        if (pipelined === undefined) {
          const { shape, values } = steps.part(step, newIds)
          newIds.ids[0] = await trial.insertedId(shape.ownStatement(), values)
        } else {
          const { statement, values } = pipelined.joined([step], newIds, false)
          await trial.run(statement, values)
        }
        const asked = trial.statements.allowed(guarded, newIds) ?? expect.unreachable()
        if (isBatched) expect(asked.query.sql).toContain('current_setting')
        expect(await answerOf(trial, guarded, newIds)).toEqual(answer)
      }
    }))

  test('are asked before the write which rows they forbid, with pointers to what asks for them', () =>
    trial(async (trial) => {
      const rows = new Map([
        [111, '/0'],
        [112, '/1'],
      ])
      const guarded = [{ resource: album, action: 'EditBefore', rows, when: 'once' } as const]
      const { query, values, toFacts } = trial.statements.lookup({ ...noLookups, guarded })
      await expect(inFull(query, values)).toMatchFileSnapshot(snapshot('forbidden'))
      expect(toFacts(String(await trial.value(query, values))).forbidden).toEqual(['/1'])
    }))

  test('are asked about a row that is not stored', () =>
    trial(async (trial) => {
      const added = (labelId: number): PlannedRow => {
        const values = membersOf(album, { title: 'New', shelf: null, facts: null, labelId, openerId: null })
        return { resource: album, action: 'Add', owners: [], values }
      }
      const { query, values } = trial.statements.planned(added(1))
      await expect(inFull(query, values)).toMatchFileSnapshot(snapshot('planned-add'))
      expect(await trial.value(query, values)).toBe(ALLOWED)
      const other = trial.statements.planned(added(2))
      expect(other.query).toBe(query)
      expect(await trial.value(other.query, other.values)).toBeNull()
    }))

  test('are asked about a stored row with the values that a write would set', () =>
    trial(async (trial) => {
      const edited = (id: number, values: object): PlannedRow => {
        return { resource: album, action: 'EditAfter', id, values: membersOf(album, { ...values }) }
      }
      const { query, values } = trial.statements.planned(edited(111, { title: 'New' }))
      await expect(inFull(query, values)).toMatchFileSnapshot(snapshot('planned-edit'))
      expect(await trial.value(query, values)).toBe(ALLOWED)
      for (const row of [edited(112, { title: 'New' }), edited(111, { labelId: 2 })]) {
        const { query, values } = trial.statements.planned(row)
        expect(await trial.value(query, values)).toBeNull()
      }
    }))
})

type GuardedKeys = readonly (ReturnType<typeof newRow> | number)[]
