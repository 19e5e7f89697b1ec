import { describe, expect, test } from 'vitest'
import { databases } from '../../../../../test/support/databases.ts'
import type { RowId } from '../../../src/planning/rows.ts'
import { albums, linkOf, referenceOf, resourceOf, someAlbums } from '../albums.ts'
import { newRow, useTrials } from '../rolled-back.ts'
import { alone, idsFor, inserting, insertOf } from './one-step.ts'

describe.each(databases)('steps that remove and link ($name)', (database) => {
  const trial = useTrials(database, albums, someAlbums)
  const snapshot = (name: string) => `./sql/${name}.${database.name}.sql`
  const artists = linkOf('album', 'artists')
  const LINKS = 'select "albumId", "artistId" from album_artist order by 1, 2'

  const pairsOf = <From extends RowId>(...pairs: (readonly [From, number])[]) =>
    pairs.map(([from, to]) => ({ link: artists, from, to, pointer: '' }))

  test('delete: removes the rows of these ids, and no others', () =>
    trial(async (trial) => {
      const { inFull, run } = alone(trial, { step: 'delete', resource: resourceOf('track'), ids: [222, 223] })
      await expect(inFull).toMatchFileSnapshot(snapshot('delete'))
      await run()
      expect(await trial.rows('select id from track')).toEqual(['221'])
    }))

  test('delete: many ids are in one parameter, so that its text does not depend on their number', () =>
    trial(async (trial) => {
      const many = (count: number) => {
        const ids = Array.from({ length: count }, (_, index) => 222 + index)
        return alone(trial, { step: 'delete', resource: resourceOf('track'), ids })
      }
      const { inFull, statement, run } = many(9)
      await expect(inFull).toMatchFileSnapshot(snapshot('delete-many'))
      expect(many(20).statement).toBe(statement)
      await run()
      expect(await trial.rows('select id from track')).toEqual(['221'])
    }))

  test('link: adds the links that are not there', () =>
    trial(async (trial) => {
      const { inFull, run } = alone(trial, { step: 'link', relation: artists, pairs: pairsOf([111, 2], [112, 3]) })
      await expect(inFull).toMatchFileSnapshot(snapshot('link'))
      await run()
      expect(await trial.rows(LINKS)).toEqual(['111 1', '111 2', '112 2', '112 3'])
    }))

  test('link: names a new row by the id that it was given', () =>
    trial(async (trial) => {
      const link = { step: 'link', relation: artists, pairs: pairsOf<RowId>([newRow(0), 3], [newRow(0), 1]) } as const
      const newIds = idsFor([inserting('album', insertOf('album', 0, { title: 'New' })), link])
      expect(() => alone(trial, link, newIds)).toThrow('the id of the new album should be known')
      newIds.ids[0] = 112
      await alone(trial, link, newIds).run()
      expect(await trial.rows(LINKS)).toEqual(['111 1', '111 2', '112 1', '112 2', '112 3'])
    }))

  test('unlink: removes these links only', () =>
    trial(async (trial) => {
      const { inFull, run } = alone(trial, { step: 'unlink', relation: artists, pairs: pairsOf([111, 2], [112, 1]) })
      await expect(inFull).toMatchFileSnapshot(snapshot('unlink'))
      await run()
      expect(await trial.rows(LINKS)).toEqual(['111 1', '112 2'])
    }))

  test.each([
    ['from', 111, ['112 2']],
    ['to', 2, ['111 1']],
  ] as const)('unlinkAll: removes all links %s a record', (side, id, left) =>
    trial(async (trial) => {
      const { inFull, run } = alone(trial, { step: 'unlinkAll', relation: artists, side, ids: [id] })
      await expect(inFull).toMatchFileSnapshot(snapshot(`unlink-all-${side}`))
      await run()
      expect(await trial.rows(LINKS)).toEqual(left)
    }),
  )

  test('clear: whoever names one of these records names none', () =>
    trial(async (trial) => {
      const { inFull, run } = alone(trial, { step: 'clear', relation: referenceOf('album', 'opener'), ids: [221, 222] })
      await expect(inFull).toMatchFileSnapshot(snapshot('clear'))
      await run()
      expect(await trial.rows('select id, "openerId" from album order by id')).toEqual(['111 null', '112 null'])
    }))

  test('release: these records name none', () =>
    trial(async (trial) => {
      const { inFull, run } = alone(trial, { step: 'release', relation: referenceOf('album', 'label'), ids: [112] })
      await expect(inFull).toMatchFileSnapshot(snapshot('release'))
      await run()
      expect(await trial.rows('select id, "labelId" from album order by id')).toEqual(['111 1', '112 null'])
    }))
})
