import { describe, expect, test } from 'vitest'
import { databases } from '../../../../../test/support/databases.ts'
import { type Lookups, noFacts, noLookups } from '../../../src/planning/decide/lookups.ts'
import { albums, linkOf, referenceOf, resourceOf, someAlbums } from '../albums.ts'
import { inFull, type Trial, useTrials } from '../rolled-back.ts'

async function asked(trial: Trial, lookups: Partial<Lookups>) {
  const { query, values, toFacts } = trial.statements.lookup({ ...noLookups, ...lookups })
  return { inFull: inFull(query, values), query, facts: toFacts(String(await trial.value(query, values))) }
}

describe.each(databases)('look-ups ($name)', (database) => {
  const trial = useTrials(database, albums, someAlbums)
  const snapshot = (name: string) => `./sql/lookup-${name}.${database.name}.sql`
  const album = resourceOf('album')

  test('which of these ids exist', () =>
    trial(async (trial) => {
      const { inFull, facts } = await asked(trial, { existing: new Map([[album, new Set([111, 113])]]) })
      await expect(inFull).toMatchFileSnapshot(snapshot('existing'))
      expect(facts).toEqual({ ...noFacts, existing: new Map([[album, new Set([111])]]) })
    }))

  test('who holds unique values, by the index of the values', () =>
    trial(async (trial) => {
      const [key] = album.uniques
      if (key === undefined) expect.unreachable()
      const values = [7, 2, 1].map((shelf) => ({
        resource: album,
        key,
        row: { new: 0 },
        values: [shelf],
        pointer: '',
        before: undefined,
      }))
      const { inFull, facts } = await asked(trial, { holders: [{ resource: album, key, values }] })
      await expect(inFull).toMatchFileSnapshot(snapshot('holders'))
      const holders = new Map([
        [1, 112],
        [2, 111],
      ])
      expect(facts.holders).toEqual(new Map([[key, holders]]))
    }))

  test('which records a target of a link serves', () =>
    trial(async (trial) => {
      const artists = linkOf('album', 'artists')
      const { inFull, facts } = await asked(trial, { linkHolders: new Map([[artists, [2, 3]]]) })
      await expect(inFull).toMatchFileSnapshot(snapshot('link-holders'))
      expect(facts.linkHolders).toEqual(new Map([[artists, new Map([[2, [111, 112]]])]]))
    }))

  test('how many records need a target by a foreign key, without those that go with it', () =>
    trial(async (trial) => {
      const label = referenceOf('album', 'label')
      const { inFull, facts } = await asked(trial, { needing: new Map([[label, { targets: [1, 2], except: [112] }]]) })
      await expect(inFull).toMatchFileSnapshot(snapshot('needing'))
      expect(facts.needing).toEqual(new Map([[label, new Map([[1, { count: 1, shown: 1 }]])]]))
    }))

  test('how many records need a target by a link', () =>
    trial(async (trial) => {
      const artists = linkOf('album', 'artists')
      const { inFull, facts } = await asked(trial, {
        needing: new Map([[artists, { targets: [1, 2, 3], except: [] }]]),
      })
      await expect(inFull).toMatchFileSnapshot(snapshot('needing-links'))
      const needing = new Map([
        [1, { count: 1, shown: 1 }],
        [2, { count: 2, shown: 2 }],
      ])
      expect(facts.needing).toEqual(new Map([[artists, needing]]))
    }))

  test('one query answers all of them, and other values make no other statement', () =>
    trial(async (trial) => {
      const lookups = (id: number) => ({
        existing: new Map([[album, new Set([id])]]),
        existingForRules: new Map([[resourceOf('track'), new Set([id])]]),
        linkHolders: new Map([[linkOf('album', 'artists'), [id]]]),
      })
      const { query, facts } = await asked(trial, lookups(112))
      expect(facts.existing).toEqual(new Map([[album, new Set([112])]]))
      expect(facts.existingForRules).toEqual(new Map([[resourceOf('track'), new Set()]]))
      expect(facts.linkHolders).toEqual(new Map([[linkOf('album', 'artists'), new Map()]]))
      const other = await asked(trial, lookups(221))
      expect(other.query).toBe(query)
      expect(other.facts.existingForRules).toEqual(new Map([[resourceOf('track'), new Set([221])]]))
    }))
})
