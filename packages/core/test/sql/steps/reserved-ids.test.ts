import { describe, expect, test } from 'vitest'
import { databases } from '../../../../../test/support/databases.ts'
import { noteReserved, reserveValues } from '../../../src/sql/steps/reserved-ids.ts'
import { albums, someAlbums } from '../albums.ts'
import { inFull, newRow, useTrials } from '../rolled-back.ts'
import { alone, idsFor, inserting, insertOf } from './one-step.ts'

describe.each(databases)('reserved ids ($name)', (database) => {
  const trial = useTrials(database, albums, someAlbums)
  const hasSequences = database.name === 'sqlite'

  const album = (number: number, title: string, id?: number) =>
    insertOf('album', number, { title, shelf: null, facts: null, labelId: 1, openerId: null }, { id })

  const two = inserting('album', album(0, 'a'), album(1, 'b'))
  const tracks = inserting(
    'track',
    insertOf('track', 2, { title: 'x' }, { owner: ['album', newRow(0)] }),
    insertOf('track', 3, { title: 'y' }, { owner: ['album', newRow(1)] }),
  )

  test('one statement reserves those of all resources', () =>
    trial(async ({ context, statements, ...trial }) => {
      const newIds = idsFor([two, tracks], newRow(2))
      expect(newIds.toReserve.map(({ resource, numbers }) => [resource.key, numbers])).toEqual([
        ['album', [0, 1]],
        ['track', [2, 3]],
      ])
      const values = reserveValues(context, newIds.toReserve)
      const statement = statements.reserve(newIds.toReserve, hasSequences)
      await expect(inFull(statement, values)).toMatchFileSnapshot(`./sql/reserve.${database.name}.sql`)
      noteReserved(context, newIds, String(await trial.value(statement, values)))
      const [first, second, third, fourth] = newIds.ids as number[]
      expect([first, second, third, fourth].every(Number.isSafeInteger)).toBe(true)
      expect(second).toBe((first as number) + 1)
      expect(fourth).toBe((third as number) + 1)
    }))

  test('the rows are stored with them, in their order, and each names its owner', () =>
    trial(async (trial) => {
      const { context, statements } = trial
      const newIds = idsFor([two, tracks])
      const values = reserveValues(context, newIds.toReserve)
      noteReserved(context, newIds, String(await trial.value(statements.reserve(newIds.toReserve, true), values)))
      await alone(trial, two, newIds).run()
      await alone(trial, tracks, newIds).run()
      const [first, second] = newIds.ids
      expect(await trial.rows(`select id, title from album where title in ('a', 'b') order by title`)).toEqual([
        `${first} a`,
        `${second} b`,
      ])
      expect(await trial.rows(`select title, "albumId" from track where title in ('x', 'y') order by title`)).toEqual([
        `x ${first}`,
        `y ${second}`,
      ])
    }))

  test('an id that the client chose keeps the database from giving it again', () =>
    trial(async (trial) => {
      const chosen = inserting('album', album(0, 'a', 500))
      const skip = trial.statements.skipId(chosen.resource)
      if (skip !== undefined) await trial.run(skip, { id: 500 })
      await alone(trial, chosen, idsFor([chosen], 500)).run()
      const next = inserting('album', album(0, 'b'))
      await alone(trial, next, idsFor([next])).run()
      expect(await trial.rows(`select title from album where id > 500`)).toEqual(['b'])
    }))
})
