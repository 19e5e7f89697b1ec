import { expect, onTestFinished, test, vi } from 'vitest'
import { type AppOptions, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { archive, audited, createArchiveTables, posted, SEAL } from './support/archive.ts'
import { crudOf } from './support/crud-of.ts'
import { changesIn } from './support/records-of-changes.ts'
import { withRules } from './support/rules.ts'

const tables: AppOptions['tables'] = createArchiveTables

for (const [table, rules] of [
  ['audit', audited],
  ['outbox', posted],
] as const) {
  describeOnBoth(`\`${table}\``, (database) => {
    const service = useApp(database, archive, { ...withRules(rules), tables })
    const changes = () => changesIn(service.db, table)
    const short = async () => (await changes()).map(({ action, resource }) => `${action} ${resource}`)
    const addLetter = () =>
      service.add('/api/letter', { title: 'a', seal: SEAL, sheets: [{ text: '1' }, { text: '2' }] })

    test('has a row for each new row, with its id and what it holds', async () => {
      const letter = await addLetter()
      expect((await short()).sort()).toEqual(['Add letter', 'Add sheet', 'Add sheet'])
      const ofLetter = (await changes()).find(({ resource }) => resource === 'letter')
      expect(ofLetter).toMatchObject({ recordId: letter.id, before: null, after: { title: 'a' } })
      const sheets = (await changes()).filter(({ resource }) => resource === 'sheet')
      expect(sheets.map(({ recordId }) => recordId).sort()).toEqual(letter.sheets.map(({ id }: { id: number }) => id))
    })

    test('has one time for all rows of a transaction, and the next time for the next', async () => {
      vi.stubGlobal('Date', hastyClock())
      onTestFinished(() => void vi.unstubAllGlobals())
      const letter = await addLetter()
      await service.patch(`/api/letter/${letter.id}`, { title: 'b' })
      await service.db.transaction().execute(async (transaction) => {
        const letters = crudOf(service).in(transaction).resource('letter')
        await letters.create({ title: 'c', sheets: [{ text: '3' }] })
        await letters.delete(letter.id)
      })
      const times = (await changes()).map(({ at }) => at)
      const [first, second, third] = [times[0], times[3], times[4]] as [number, number, number]
      expect(times).toEqual([first, first, first, second, ...new Array(5).fill(third)])
      expect(first).toBeLessThan(second)
      expect(second).toBeLessThan(third)
    })

    test('has a row for each row that a PUT adds, changes and removes', async () => {
      const letter = await addLetter()
      const [first, second] = letter.sheets
      const before = (await changes()).length
      await service.put(`/api/letter/${letter.id}`, { title: 'a', sheets: [{ ...first, text: 'one' }, { text: '3' }] })
      const added = (await changes()).slice(before).filter(({ resource }) => resource === 'sheet')
      expect(added).toHaveLength(3)
      expect(added).toContainEqual(
        expect.objectContaining({
          action: 'Edit',
          recordId: first.id,
          before: expect.objectContaining({ text: '1' }),
          after: expect.objectContaining({ text: 'one' }),
        }),
      )
      expect(added).toContainEqual(
        expect.objectContaining({
          action: 'Delete',
          recordId: second.id,
          before: expect.objectContaining({ text: '2' }),
        }),
      )
    })

    test('has no row for a write that changes nothing, that is refused or undone', async () => {
      const letter = await addLetter()
      const path = `/api/letter/${letter.id}`
      const before = await changes()
      await service.put(path, await service.read(path))
      await service.patch(path, { title: 'b', sheets: [{ id: 999_999, text: 'x' }] })
      await service.patch(path, { titel: 'b' })
      await service.request('PATCH', path, { title: 'b' }, { prefer: 'tx=rollback' })
      expect(await changes()).toEqual(before)
    })

    test('leaves out `writeOnly` fields', async () => {
      const letter = await addLetter()
      await service.patch(`/api/letter/${letter.id}`, { title: 'b', seal: `${SEAL} again` })
      await service.delete(`/api/letter/${letter.id}`)
      const stored = await service.snapshot([table])
      expect(JSON.stringify(stored)).not.toContain('zebra')
      expect(stored[table]?.length).toBeGreaterThan(4)
    })
  })
}

/** A clock that is a second later whenever somebody looks at it. */
function hastyClock(): DateConstructor {
  let now = Date.UTC(2026, 0, 1)
  const look = () => {
    now += 1_000
    return now
  }
  return class extends Date {
    constructor(...given: [] | [number]) {
      super(...((given.length === 0 ? [look()] : given) as [number]))
    }
  } as DateConstructor
}
