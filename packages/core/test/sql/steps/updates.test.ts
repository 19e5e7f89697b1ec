import { describe, expect, test } from 'vitest'
import { databases } from '../../../../../test/support/databases.ts'
import type { OrderedStep } from '../../../src/planning/order/ordered.ts'
import { albums, resourceOf, someAlbums } from '../albums.ts'
import { inFull, useTrials } from '../rolled-back.ts'
import { alone, idsFor, updateOf } from './one-step.ts'

type Updating = Extract<OrderedStep, { step: 'update' | 'park' }>

function updating(step: Updating['step'], ...rows: Updating['rows']): Updating {
  return { step, resource: resourceOf('album'), rows }
}

describe.each(databases)('an UPDATE ($name)', (database) => {
  const trial = useTrials(database, albums, someAlbums)
  const snapshot = (name: string) => `./sql/update-${name}.${database.name}.sql`
  const ALL = `select id, title, coalesce(shelf, 0), facts, "labelId" from album order by id`

  test('of one row sets only the columns that have values', () =>
    trial(async (trial) => {
      const step = updating('update', updateOf('album', 111, { title: 'New', facts: null }))
      const { inFull, run } = alone(trial, step)
      await expect(inFull).toMatchFileSnapshot(snapshot('one'))
      await run()
      expect(await trial.rows(ALL)).toEqual(['111 New 1 null 1', '112 Two 2 null 1'])
    }))

  test('of a few rows with the same columns has a parameter for each value', () =>
    trial(async (trial) => {
      const step = updating(
        'update',
        updateOf('album', 111, { facts: { b: 2 }, labelId: 2 }),
        updateOf('album', 112, { facts: null, labelId: null }),
      )
      const { inFull, run } = alone(trial, step)
      await expect(inFull).toMatchFileSnapshot(snapshot('few'))
      await run()
      expect(await trial.rows(ALL)).toEqual(['111 One 1 {"b":2} 2', '112 Two 2 null null'])
    }))

  test('of three rows is that of four, which sets the last one twice', () =>
    trial(async (trial) => {
      const rows = [221, 222, 223].map((id) => updateOf('track', id, { title: `new ${id}` }))
      const step = { step: 'update', resource: resourceOf('track'), rows } as const
      const { values, run } = alone(trial, step)
      expect(values).toEqual([221, 'new 221', 222, 'new 222', 223, 'new 223', 223, 'new 223'])
      await run()
      expect(await trial.rows('select title from track order by id')).toEqual(['new 221', 'new 222', 'new 223'])
    }))

  test('of rows with different columns leaves the others as they are', () =>
    trial(async (trial) => {
      const step = updating(
        'update',
        updateOf('album', 111, { title: 'New', shelf: null }),
        updateOf('album', 112, { facts: { c: 3 } }),
      )
      const { inFull, run } = alone(trial, step)
      await expect(inFull).toMatchFileSnapshot(snapshot('mixed'))
      await run()
      expect(await trial.rows(ALL)).toEqual(['111 New 0 {"a":1} 1', '112 Two 2 {"c":3} 1'])
    }))

  test('of many rows has them in one parameter, so that its text does not depend on their number', () =>
    trial(async (trial) => {
      const many = (count: number) =>
        updating(
          'update',
          ...Array.from({ length: count }, (_, row) => updateOf('album', 111 + row, { title: `${row}` })),
        )
      const { inFull, statement, run } = alone(trial, many(9))
      await expect(inFull).toMatchFileSnapshot(snapshot('many'))
      expect(alone(trial, many(20)).statement).toBe(statement)
      await run()
      expect(await trial.rows('select id, title from album order by id')).toEqual(['111 0', '112 1'])
    }))

  test('parks unique values, so that the next one can swap them', () =>
    trial(async (trial) => {
      const park = updating('park', updateOf('album', 111, { shelf: null }), updateOf('album', 112, { shelf: null }))
      const update = updating('update', updateOf('album', 111, { shelf: 2 }), updateOf('album', 112, { shelf: 1 }))
      expect(alone(trial, park).statement).toBe(alone(trial, update).statement)
      await alone(trial, park).run()
      expect(await trial.rows('select coalesce(shelf, 0) from album')).toEqual(['0', '0'])
      await alone(trial, update).run()
      expect(await trial.rows('select id, shelf from album order by id')).toEqual(['111 2', '112 1'])
    }))

  test('swaps the values of a column in one statement where nothing keeps it from doing so', () =>
    trial(async (trial) => {
      const rows = [updateOf('album', 111, { labelId: 2 }), updateOf('album', 112, { labelId: 1 })]
      await alone(trial, { step: 'swap', resource: resourceOf('album'), rows, parked: [] }).run()
      expect(await trial.rows('select id, "labelId" from album order by id')).toEqual(['111 2', '112 1'])
    }))

  test('fails unless it writes every row, on PostgreSQL', () =>
    trial(async (trial) => {
      const { pipelined } = trial.statements
      if (pipelined === undefined) return
      const updated = (...ids: number[]) => {
        const step = updating('update', ...ids.map((id) => updateOf('album', id, { title: 'New' })))
        return pipelined.joined([step], idsFor([step]), true)
      }
      const found = updated(111)
      await expect(inFull(found.statement, found.values)).toMatchFileSnapshot(snapshot('checked'))
      await trial.run(found.statement, found.values)
      expect(await trial.rows('select title from album order by id')).toEqual(['New', 'Two'])
      const tooMany = updated(111, 113)
      await expect(trial.run(tooMany.statement, tooMany.values)).rejects.toThrow('fastify-crud')
    }))
})
