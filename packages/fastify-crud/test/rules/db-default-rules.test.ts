import { audit, createStore, set, timestamps, transitions } from 'fastify-crud'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { writesIn } from '../../../../test/support/statement-log.ts'
import { createFilledTables, filled } from './support/filled.ts'
import { type ChangedRow, type Committed, type Judged, type Kept, withRules } from './support/rules.ts'

describeOnBoth('rules and what the database gives new rows', (database) => {
  let seen: Record<string, Pick<ChangedRow, 'before' | 'after'>[]> = {}
  const noteIn = (stage: string) => (row: Judged | ChangedRow | Kept) => {
    const { before, after } = row
    seen[stage] = [...(seen[stage] ?? []), { before, after }]
  }
  const noteCommitted = ({ rows }: Committed) => rows.forEach(noteIn('afterCommit'))
  const watching = {
    validate: noteIn('validate'),
    afterWrite: noteIn('afterWrite'),
    afterCommit: noteCommitted,
    invariant: { reads: ['rank', 'twice'], test: noteIn('invariant') },
  }
  const service = useApp(database, filled, {
    ...withRules({ node: watching, leaf: { afterCommit: noteCommitted }, token: audit('seen_tokens') }),
    tables: async (open) => {
      await createFilledTables(open)
      await sql`create table seen_tokens (at text, resource text, "recordId" text, action text, before text, after text, caller text)`.execute(
        open.db,
      )
    },
  })
  /** `afterCommit` runs in the turn behind the commit. */
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
  const during = async (run: () => Promise<unknown>) => {
    await nextTurn()
    seen = {}
    await run()
    await nextTurn()
  }

  test('`validate` does not know it yet, and all that runs after the statements does', async () => {
    await during(() => service.add('/api/node', { name: 'n', nodes: [{ name: 'a', rank: 2 }, { name: 'b' }] }))
    for (const { after } of seen.validate ?? []) {
      expect(after).not.toHaveProperty('code')
      expect(after).not.toHaveProperty('twice')
    }
    expect(seen.validate?.map(({ after }) => after.rank)).toEqual([undefined, 2, undefined])
    for (const stage of ['afterWrite', 'afterCommit', 'invariant']) {
      expect(
        seen[stage]?.map(({ after }) => [after.rank, after.twice]),
        stage,
      ).toEqual([
        [7, 14],
        [2, 4],
        [7, 14],
      ])
    }
    expect(seen.afterWrite?.[0]?.after).toMatchObject({ code: expect.any(String), mood: 'calm' })
  })

  test('a row that changes has what the database then has', async () => {
    const { id } = await service.add('/api/node', { name: 'n' })
    await during(() => service.patch(`/api/node/${id}`, { rank: 5 }))
    expect(seen.validate).toMatchObject([{ before: { rank: 7, twice: 14 }, after: { rank: 5 } }])
    expect(seen.afterWrite).toMatchObject([{ before: { twice: 14 }, after: { rank: 5, twice: 10 } }])
    expect(seen.afterCommit).toMatchObject([{ before: { twice: 14 }, after: { rank: 5, twice: 10 } }])
  })

  test('a rule that is told after the commit only is told all, too', async () => {
    await during(() => service.add('/api/node', { name: 'n', leaf: { name: 'l' } }))
    expect(seen.afterCommit).toMatchObject([{ after: { rank: 7 } }, { after: { name: 'l', color: 'green' } }])
  })

  test('an audit has it', async () => {
    const { value } = await service.add('/api/token', {})
    const { rows } = await sql<{ after: string }>`select after from seen_tokens`.execute(service.db)
    expect(rows.map(({ after }) => JSON.parse(after).value)).toEqual([value])
  })

  test('a row that is removed has what was there', async () => {
    const { id } = await service.add('/api/node', { name: 'n' })
    await during(() => service.delete(`/api/node/${id}`))
    expect(seen.afterWrite).toMatchObject([{ before: { rank: 7 }, after: null }])
  })

  test('a PUT with the body that GET returned tells no rule', async () => {
    const node = await service.add('/api/node', { name: 'n' })
    const statements = await service.statements(() => during(() => service.put(`/api/node/${node.id}`, node)))
    expect(writesIn(statements)).toEqual([])
    expect(seen).toEqual({})
  })
})

describeOnBoth('`set` for a field that the database fills otherwise', (database) => {
  // A function that returns undefined leaves the field as it is.
  const ofWild = set({ mood: ({ row }) => (row.name === 'wild' ? 'wild' : undefined) })
  const service = useApp(database, filled, { ...withRules({ node: ofWild }), tables: createFilledTables })

  test('gives some rows a value, and leaves the others to the database', async () => {
    const nodes = [{ name: 'a' }, { name: 'wild' }, { name: 'b' }]
    const node = await service.add('/api/node', { name: 'n', nodes })
    expect(node).toMatchObject({ mood: 'calm', nodes: [{ mood: 'calm' }, { mood: 'wild' }, { mood: 'calm' }] })
    await service.refuse('POST', '/api/node', { name: 'n', mood: 'x' }, { code: 'CRUD_ERR_INVALID' })
  })
})

describeOnBoth('a start with rules for fields that the database fills', (database) => {
  test('is refused for states whose first one nobody knows', async () => {
    const { db, close } = await database.open()
    const states = { calm: ['wild'], wild: [] }
    expect(() => createStore({ db, resources: filled, rules: { node: transitions('mood', states) } })).toThrow(
      /rules\.node.*'mood' must have a default in the model, not dbDefault/,
    )
    expect(() => createStore({ db, resources: filled, rules: { node: timestamps() as never } })).toThrow(/createdAt/)
    await close()
  })
})
