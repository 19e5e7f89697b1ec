import { describe, expect, test } from 'vitest'
import { databases } from '../../../../../test/support/databases.ts'
import { wholeRecord } from '../../../src/asking/select/selections.ts'
import { ownedPath, topPath } from '../../../src/model/collection-path.ts'
import { ALL_FIELDS } from '../../../src/model/field-rights.ts'
import { rowsDeletedWith } from '../../../src/planning/decide/may-be-blind.ts'
import { CHANGED } from '../../../src/sql/dialect/dialect.ts'
import { albums, resourceOf, someAlbums } from '../albums.ts'
import { inFull, membersOf, useTrials } from '../rolled-back.ts'

describe.each(databases)('statements that read nothing first ($name)', (database) => {
  const trial = useTrials(database, albums, someAlbums)
  const snapshot = (name: string) => `./sql/${name}.${database.name}.sql`
  const tracks = ownedPath(topPath(albums, 'album'), 'tracks')
  const owner = (id: number) => ({ owner0: id })

  test('an update writes only the values that differ, and tells whether it has written', () =>
    trial(async (trial) => {
      const given = membersOf(resourceOf('track'), { title: 'new', seconds: 10 })
      const { update, wouldChange, toValues } = trial.statements.blindUpdate(tracks, given)
      const values = toValues({ id: 221, ...owner(111) }, given)
      await expect(inFull(update, values)).toMatchFileSnapshot(snapshot('blind-update'))
      const tells = wouldChange ?? update
      const writes = async () => (await trial.run(tells, values)).length
      expect(await writes()).toBe(1)
      if (wouldChange !== undefined) await trial.run(update, values)
      expect(await trial.rows('select id, title, seconds from track order by id')).toEqual([
        '221 new 10',
        '222 b 20',
        '223 c 30',
      ])
      expect(await writes()).toBe(0)
    }))

  test('an update leaves alone what another record owns', () =>
    trial(async (trial) => {
      const given = membersOf(resourceOf('track'), { title: 'new' })
      const { update, toValues } = trial.statements.blindUpdate(tracks, given)
      expect(await trial.run(update, toValues({ id: 221, ...owner(112) }, given))).toEqual([])
      expect(await trial.rows(`select id from track where title = 'new'`)).toEqual([])
    }))

  test('a delete takes what goes with the record, and tells whether there was one', () =>
    trial(async (trial) => {
      const path = topPath(albums, 'playlist')
      const along = rowsDeletedWith(path) ?? expect.unreachable('any playlist goes with its songs')
      const statements = trial.statements.blindDelete(path, along)
      const texts = statements.map((statement) => inFull(statement, { id: 51 }))
      await expect(texts.join('')).toMatchFileSnapshot(snapshot('blind-delete'))
      const deleted = async (id: number) => {
        let last: readonly unknown[] = []
        for (const statement of statements) last = await trial.run(statement, { id })
        return last.length
      }
      await trial.rows(`insert into playlist (id, name) values (51, 'x'), (52, 'y')`)
      await trial.rows(`insert into song (id, title, "playlistId") values (61, 'a', 51), (62, 'b', 52)`)
      expect(await deleted(51)).toBe(1)
      expect(await trial.rows('select id from playlist')).toEqual(['52'])
      expect(await trial.rows('select id from song')).toEqual(['62'])
      expect(await deleted(51)).toBe(0)
    }))

  test('a record that others may name has no such delete', () => {
    expect(rowsDeletedWith(topPath(albums, 'artist'))).toBeUndefined()
  })

  test('a vacancy tells whether the owner is there and whether the id is taken', () =>
    trial(async (trial) => {
      const vacancy = trial.statements.vacancy(tracks, true)
      await expect(inFull(vacancy, { id: 221, ...owner(111) })).toMatchFileSnapshot(snapshot('vacancy'))
      const found = async (id: number, album: number) => {
        const [row] = await trial.run(vacancy, { id, ...owner(album) })
        return Object.entries(row ?? {}).flatMap(([name, value]) => (value ? [name] : []))
      }
      expect(await found(221, 111)).toEqual(['owners', 'allowed', 'taken'])
      expect(await found(99, 112)).toEqual(['owners', 'allowed'])
      expect(await found(99, 113)).toEqual(['allowed'])
    }))

  test('a vacancy tells whether the owner has its one record', () =>
    trial(async (trial) => {
      const vacancy = trial.statements.vacancy(ownedPath(topPath(albums, 'album'), 'note'), false)
      const isOccupied = async () => Boolean((await trial.run(vacancy, owner(111)))[0]?.occupied)
      expect(await isOccupied()).toBe(false)
      await trial.rows(`insert into note (id, text, "albumId") values (71, 'n', 111)`)
      expect(await isOccupied()).toBe(true)
    }))

  test('a record that is not the same any more fails a check, which only pipelined statements have', () =>
    trial(async (trial) => {
      const path = topPath(albums, 'artist')
      const { pipelined } = trial.statements
      expect(pipelined === undefined).toBe(database.name === 'sqlite')
      if (pipelined === undefined) return
      const unchanged = pipelined.unchanged(path, wholeRecord(resourceOf('artist'), ALL_FIELDS))
      const json = '{"id":1,"name":"Ada"}'
      await expect(inFull(unchanged, { id: 1, json })).toMatchFileSnapshot(snapshot('unchanged'))
      await trial.run(unchanged, { id: 1, json })
      await trial.rows(`update artist set name = 'Ann' where id = 1`)
      await expect(trial.run(unchanged, { id: 1, json })).rejects.toThrow(CHANGED)
    }))
})
