import { audit, outbox } from '@fastify-crud/core'
import { beforeEach, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { archive, createArchiveTables } from './support/archive.ts'
import { crudOf } from './support/crud-of.ts'
import { changesIn, type RecordedChange } from './support/records-of-changes.ts'
import { type ChangedRow, type Committed, type Judged, type TestRules, withRules } from './support/rules.ts'

/** `afterCommit` runs in turns of its own, behind the answer. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describeOnBoth('`audit`, `outbox` and `afterCommit`', (database) => {
  let afterWrite: (judged: Judged) => unknown = () => {}
  let committed: ChangedRow[] = []
  const rules: TestRules = {
    letter: [
      audit('audit'),
      outbox('outbox'),
      { afterCommit: ({ rows }: Committed) => void committed.push(...rows) },
      { afterWrite: (judged: Judged) => afterWrite(judged) },
    ],
    sheet: [audit('audit'), { afterCommit: ({ rows }: Committed) => void committed.push(...rows) }],
  }
  const service = useApp(database, archive, { ...withRules(rules), tables: createArchiveTables })
  const letters = ({ db }: Judged) => crudOf(service).in(db).resource('letter')

  beforeEach(() => {
    afterWrite = () => {}
    committed = []
  })

  /** Writes as `work` says, and returns what the three were told of each row. */
  async function told(work: () => Promise<unknown>) {
    const before = { audit: await changesIn(service.db, 'audit'), outbox: await changesIn(service.db, 'outbox') }
    await turns()
    committed = []
    await work()
    await turns()
    const short = ({ action, before, after }: Pick<RecordedChange, 'action' | 'before' | 'after'>) => [
      action,
      before?.title ?? before?.text ?? null,
      after?.title ?? after?.text ?? null,
    ]
    const added = async (table: 'audit' | 'outbox') =>
      (await changesIn(service.db, table)).slice(before[table].length).map(short)
    const [ofAudit, ofOutbox] = [await added('audit'), await added('outbox')]
    return { audit: ofAudit, outbox: ofOutbox, committed: committed.map(short) }
  }

  test('see what an `afterWrite` of the same write has written through `db`', async () => {
    afterWrite = ({ after, db }) =>
      db
        .updateTable('letter')
        .set({ title: `${after.title}!` })
        .where('id', '=', after.id)
        .execute()
    let path = ''
    const created = [['Add', null, 'a!']]
    expect(
      await told(async () => {
        path = `/api/letter/${(await service.add('/api/letter', { title: 'a' })).id}`
      }),
    ).toEqual({ audit: created, outbox: created, committed: created })
    const changed = [['Edit', 'a!', 'b!']]
    expect(await told(() => service.patch(path, { title: 'b' }))).toEqual({
      audit: changed,
      outbox: changed,
      committed: changed,
    })
  })

  test('see what a write of `store.in(db)` has written, which is told for itself as well', async () => {
    const { id } = await service.add('/api/letter', { title: 'a' })
    afterWrite = async (judged) => {
      if (judged.after.title === 'b') await letters(judged).patch(id, { title: 'c' })
    }
    const changed = [
      ['Edit', 'b', 'c'],
      ['Edit', 'a', 'c'],
    ]
    expect(await told(() => service.patch(`/api/letter/${id}`, { title: 'b' }))).toEqual({
      audit: changed,
      outbox: changed,
      committed: [['Edit', 'a', 'c']],
    })
  })

  test('see rows of other resources that the rule has changed or removed', async () => {
    const { id, sheets } = await service.add('/api/letter', { title: 'a', sheets: [{ text: '1' }, { text: '2' }] })
    afterWrite = async ({ db }) => {
      await db.deleteFrom('sheet').where('text', '=', 'two').execute()
      await db.deleteFrom('sheet').where('text', '=', 'three').execute()
      await db.updateTable('sheet').set({ text: 'ONE' }).where('text', '=', 'one').execute()
    }
    const body = {
      title: 'b',
      sheets: [{ id: sheets[0].id, text: 'one' }, { id: sheets[1].id, text: 'two' }, { text: 'three' }],
    }
    const ofSheets = [
      ['Edit', '1', 'ONE'],
      ['Delete', '2', null],
    ]
    const { audit: ofAudit, committed: ofCommit } = await told(() => service.patch(`/api/letter/${id}`, body))
    expect(ofAudit).toEqual(expect.arrayContaining(ofSheets))
    expect(ofAudit).toHaveLength(3)
    expect(ofCommit).toEqual(expect.arrayContaining(ofSheets))
    expect(ofCommit).toHaveLength(3)
  })

  test('are told of what is removed as it was', async () => {
    const { id } = await service.add('/api/letter', { title: 'a' })
    const removed = [['Delete', 'a', null]]
    expect(await told(() => service.delete(`/api/letter/${id}`))).toEqual({
      audit: removed,
      outbox: removed,
      committed: removed,
    })
  })
})

describeOnBoth('rules that write nothing', (database) => {
  const service = useApp(database, archive, {
    ...withRules({ letter: [audit('audit'), { afterCommit: () => {} }], sheet: { afterWrite: () => {} } }),
    tables: createArchiveTables,
  })

  test('have no row read once more', async () => {
    const { id } = await service.add('/api/letter', { title: 'a' })
    const statements = await service.statements(() => service.patch(`/api/letter/${id}`, { title: 'b' }))
    const insert = statements.findIndex((text) => text.includes('insert into "audit"'))
    const update = statements.findIndex((text) => text.startsWith('update') || text.includes('(update'))
    expect(update).toBeGreaterThan(-1)
    expect(insert - update).toBe(1)
  })
})
