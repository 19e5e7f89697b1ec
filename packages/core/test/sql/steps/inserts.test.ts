import { describe, expect, test } from 'vitest'
import { databases } from '../../../../../test/support/databases.ts'
import { albums, someAlbums } from '../albums.ts'
import { newRow, useTrials } from '../rolled-back.ts'
import { alone, idsFor, inserting, insertOf } from './one-step.ts'

/** `seconds` has a default, as `createTables` gives none. */
const withDefault = {
  sqlite: [
    'drop table track',
    `create table track (id integer primary key, title text not null, seconds integer default 180, "albumId" integer)`,
  ],
  postgres: ['alter table track alter seconds set default 180'],
}

describe.each(databases)('an INSERT ($name)', (database) => {
  const trial = useTrials(database, albums, [...withDefault[database.name], ...someAlbums])
  const snapshot = (name: string) => `./sql/insert-${name}.${database.name}.sql`
  const album = (title: string) => ({ title, shelf: null, facts: { of: title }, labelId: 2, openerId: null })

  test('of a row whose id nothing needs has no column for the id', () =>
    trial(async (trial) => {
      const step = inserting('album', insertOf('album', 0, album('New')))
      const { inFull, run } = alone(trial, step, idsFor([step]))
      await expect(inFull).toMatchFileSnapshot(snapshot('nameless'))
      await run()
      expect(await trial.rows(`select title, "labelId" from album where id not in (111, 112)`)).toEqual(['New 2'])
    }))

  test('of several rows gives each its values', () =>
    trial(async (trial) => {
      const step = inserting('album', insertOf('album', 0, album('New')), insertOf('album', 1, album('Newer')))
      const { inFull, run } = alone(trial, step, idsFor([step]))
      await expect(inFull).toMatchFileSnapshot(snapshot('several'))
      await run()
      expect(await trial.rows(`select title, facts from album where id not in (111, 112) order by title`)).toEqual([
        'New {"of":"New"}',
        'Newer {"of":"Newer"}',
      ])
    }))

  test('of many rows has them in one parameter, so that its text does not depend on their number', () =>
    trial(async (trial) => {
      const many = (count: number) =>
        inserting('album', ...Array.from({ length: count }, (_, row) => insertOf('album', row, album(`New ${row}`))))
      const { inFull, statement, run } = alone(trial, many(9), idsFor([many(9)]))
      await expect(inFull).toMatchFileSnapshot(snapshot('many'))
      expect(alone(trial, many(20), idsFor([many(20)])).statement).toBe(statement)
      await run()
      expect(await trial.rows(`select count(*) from album`)).toEqual(['11'])
    }))

  test('of a row with an id that the client chose has the id', () =>
    trial(async (trial) => {
      const step = inserting('album', insertOf('album', 0, album('New'), { id: 77 }))
      const { inFull, run } = alone(trial, step, idsFor([step], 77))
      await expect(inFull).toMatchFileSnapshot(snapshot('chosen-id'))
      await run()
      expect(await trial.rows('select id, title from album where id = 77')).toEqual(['77 New'])
    }))

  test('of rows whose ids were reserved has the ids, and the rows below name them', () =>
    trial(async (trial) => {
      const [first, second] = [insertOf('group', 0, { name: 'a' }), insertOf('group', 1, { name: 'b' })]
      const below = insertOf('group', 2, { name: 'c' }, { owner: ['above', newRow(1)] })
      const step = inserting('group', first, second, below)
      const newIds = { ...idsFor([step]), ids: [31, 32, 33] }
      const { inFull, run } = alone(trial, step, newIds)
      await expect(inFull).toMatchFileSnapshot(snapshot('reserved-ids'))
      await run()
      expect(await trial.rows(`select id, name, coalesce("aboveId", 0) from "group" order by id`)).toEqual([
        '31 a 0',
        '32 b 0',
        '33 c 32',
      ])
    }))

  test('lacks a column for which the database has a value', () =>
    trial(async (trial) => {
      const owner = ['album', 112] as const
      const lacking = inserting('track', insertOf('track', 0, { title: 'x' }, { owner }))
      const given = inserting('track', insertOf('track', 0, { title: 'y', seconds: null }, { owner }))
      const { inFull, run } = alone(trial, lacking, idsFor([lacking]))
      await expect(inFull).toMatchFileSnapshot(snapshot('lacking'))
      await run()
      await alone(trial, given, idsFor([given])).run()
      expect(
        await trial.rows(
          `select title, coalesce(seconds, 0) from track where id not in (221, 222, 223) order by title`,
        ),
      ).toEqual(['x 180', 'y 0'])
    }))

  test('below a new row whose id is not known refuses to be a statement of its own', () =>
    trial(async (trial) => {
      const owner = inserting('album', insertOf('album', 0, album('New')))
      const note = inserting('note', insertOf('note', 1, { text: 'n' }, { owner: ['album', newRow(0)] }))
      const newIds = idsFor([owner, note], newRow(0))
      expect(() => alone(trial, note, newIds)).toThrow('the id of the new album should be known')
      newIds.ids[0] = 112
      await alone(trial, note, newIds).run()
      expect(await trial.rows('select text, "albumId" from note')).toEqual(['n 112'])
    }))

  test('of a row that has only an id brings the id', () =>
    trial(async (trial) => {
      const step = inserting('ticket', insertOf('ticket', 0, {}))
      const newIds = { ...idsFor([step], newRow(0)), ids: [41] }
      const { inFull, run } = alone(trial, step, newIds)
      await expect(inFull).toMatchFileSnapshot(snapshot('only-id'))
      await run()
      expect(await trial.rows('select id from ticket')).toEqual(['41'])
    }))
})
