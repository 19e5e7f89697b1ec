import { describe, expect, test } from 'vitest'
import { databases } from '../../../../../test/support/databases.ts'
import { newIdsOf } from '../../../src/planning/order/new-ids.ts'
import type { OrderedStep } from '../../../src/planning/order/ordered.ts'
import { albums, linkOf, resourceOf, someAlbums } from '../albums.ts'
import { inFull, newRow, type Trial, useTrials } from '../rolled-back.ts'
import { changesOf, idsFor, inserting, insertOf, updateOf } from './one-step.ts'

const [sqlite, postgres] = databases

/** Steps as one statement, with what it returned about new rows. */
async function joined(trial: Trial, steps: readonly OrderedStep[], newIds = idsFor(steps)) {
  const { statement, values, returned } =
    trial.statements.pipelined?.joined(steps, newIds, false) ?? expect.unreachable('statements are pipelined')
  const [row = {}] = await trial.run(statement, values)
  const columns = Object.values(row)
  return {
    inFull: inFull(statement, values),
    statement,
    ids: returned.map(({ number, fromText }, index) => [number, fromText(columns[index] as string)] as const),
  }
}

const newAlbum = (number: number, title: string) =>
  insertOf('album', number, { title, shelf: null, facts: null, labelId: 1, openerId: null })
const linking = (...pairs: (readonly [number, number])[]): OrderedStep => {
  const relation = linkOf('album', 'artists')
  return {
    step: 'link',
    relation,
    pairs: pairs.map(([row, to]) => ({ link: relation, from: { new: row }, to, pointer: '' })),
  }
}

describe('several steps as one statement of PostgreSQL', () => {
  const trial = useTrials(postgres as NonNullable<typeof postgres>, albums, someAlbums)
  const snapshot = (name: string) => `./sql/joined-${name}.sql`

  test('each is a part of it, and none sees what another writes', () =>
    trial(async (trial) => {
      const { inFull, ids } = await joined(trial, [
        { step: 'delete', resource: resourceOf('track'), ids: [223] },
        { step: 'update', resource: resourceOf('album'), rows: [updateOf('album', 112, { title: 'New' })] },
        inserting('note', insertOf('note', 0, { text: 'n' }, { owner: ['album', 112] })),
      ])
      await expect(inFull).toMatchFileSnapshot(snapshot('three'))
      expect(ids).toEqual([])
      expect(await trial.rows('select id from track order by id')).toEqual(['221', '222'])
      expect(await trial.rows('select title from album where id = 112')).toEqual(['New'])
      expect(await trial.rows('select text, "albumId" from note')).toEqual(['n 112'])
    }))

  test('what a new record owns, and its links, name it in the same statement, which returns its id', () =>
    trial(async (trial) => {
      const steps = [
        inserting('album', newAlbum(0, 'New')),
        inserting('track', insertOf('track', 1, { title: 't' }, { owner: ['album', newRow(0)] })),
        linking([0, 3]),
      ]
      const { inFull, ids } = await joined(trial, steps, idsFor(steps, newRow(0)))
      await expect(inFull).toMatchFileSnapshot(snapshot('new-owner'))
      const [id] = await trial.rows(`select id from album where title = 'New'`)
      expect(ids).toEqual([[0, Number(id)]])
      expect(await trial.rows(`select "albumId" from track where title = 't'`)).toEqual([id])
      expect(await trial.rows(`select "albumId" from album_artist where "artistId" = 3`)).toEqual([id])
    }))

  test('the transaction keeps the id for the statements behind it', () =>
    trial(async (trial) => {
      const owner = inserting('album', newAlbum(0, 'New'))
      const steps = [owner, linking([0, 1])]
      const newIds = idsFor(steps, newRow(0))
      await joined(trial, [owner], newIds)
      const { inFull } = await joined(trial, [linking([0, 1])], newIds)
      await expect(inFull).toMatchFileSnapshot(snapshot('kept-id'))
      const [id] = await trial.rows(`select id from album where title = 'New'`)
      expect(await trial.rows(`select "albumId" from album_artist where "artistId" = 1 and "albumId" <> 111`)).toEqual([
        id,
      ])
    }))

  test('the transaction keeps the ids of all new rows of a resource of which only policies need them', () =>
    trial(async (trial) => {
      const steps = [inserting('album', newAlbum(0, 'New'), newAlbum(1, 'Newer'))]
      const rows = new Map([newRow(0), newRow(1)].map((row) => [row, undefined]))
      const guarded = { resource: resourceOf('album'), action: 'Add', rows, when: 'once' } as const
      const newIds = newIdsOf(changesOf(steps), [guarded], true)
      const { inFull, ids } = await joined(trial, steps, newIds)
      await expect(inFull).toMatchFileSnapshot(snapshot('all-ids-kept'))
      expect(ids).toEqual([])
      const [kept] = await trial.rows(`select current_setting('fastify_crud.album')`)
      const stored = await trial.rows('select id from album where id < 111 order by id')
      expect(kept?.match(/\d+/g)?.toSorted((a, b) => Number(a) - Number(b))).toEqual(stored)
    }))

  test('equal steps with other values are the same statement, other steps are another', () =>
    trial(async (trial) => {
      const update = (...ids: number[]): OrderedStep => {
        const rows = ids.map((id) => updateOf('track', id, { title: 'x' }))
        return { step: 'update', resource: resourceOf('track'), rows }
      }
      const remove = (id: number): OrderedStep => ({ step: 'delete', resource: resourceOf('track'), ids: [id] })
      await trial.rows(`insert into track (id, "albumId", title) select n, 111, 't' from generate_series(1, 4) as n`)
      const { statement } = await joined(trial, [update(221), remove(1)])
      expect((await joined(trial, [update(222), remove(2)])).statement).toBe(statement)
      expect((await joined(trial, [remove(3), update(221)])).statement).not.toBe(statement)
      expect((await joined(trial, [update(221, 222), remove(4)])).statement).not.toBe(statement)
    }))
})

describe('SQLite', () => {
  const trial = useTrials(sqlite as NonNullable<typeof sqlite>, albums, someAlbums)

  test('runs each step as a statement of its own', () =>
    trial(async (trial) => expect(trial.statements.pipelined).toBeUndefined()))

  test('tells which id it gave to the row of an INSERT', () =>
    trial(async (trial) => {
      const step = inserting('album', newAlbum(0, 'New'))
      const { shape, values } = trial.statements.steps.part(step, idsFor([step], newRow(0)))
      const id = await trial.insertedId(shape.ownStatement(), values)
      expect(await trial.rows(`select id from album where title = 'New'`)).toEqual([String(id)])
    }))
})
