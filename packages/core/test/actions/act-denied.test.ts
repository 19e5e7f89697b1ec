import { createStore, defineActions, defineResources, knows } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../../../../test/support/databases.ts'
import { describeOnDatabases } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  team: { fields: { name: Type.String(), writes: Type.Boolean() } },
  paper: {
    fields: { title: Type.String(), author: Type.Integer(), state: Type.Optional(Type.String({ default: 'draft' })) },
    relations: { team: knows.one('team') },
  },
})

const MAX_ANSWER = 1_000

describeOnDatabases('an action that waits for its lock', (database) => {
  let opened: OpenDatabase
  let ran: string[] = []
  let goOn: PromiseWithResolvers<void>
  let holds: PromiseWithResolvers<void>

  const actions = defineActions(resources, {
    paper: {
      /** Changes the record, and holds its lock until the test lets it go on. */
      hold: {
        asks: 'Edit',
        body: Type.Object({
          state: Type.Optional(Type.String()),
          author: Type.Optional(Type.Integer()),
          team: Type.Optional(Type.Integer()),
          isGone: Type.Optional(Type.Boolean()),
        }),
        async run({ id, body: { team, isGone, ...values }, store }) {
          if (team !== undefined) await store.team.patch(team, { writes: false })
          if (isGone) await store.paper.delete(id)
          else await store.paper.patch(id, values)
          holds.resolve()
          await goOn.promise
        },
      },
      print: {
        asks: 'Edit',
        async run({ id, store }) {
          ran.push('print')
          await store.paper.patch(id, { title: 'printed' })
        },
      },
      /** Is only about what is stored: what it writes, it may not. */
      forge: {
        asks: 'View',
        async run({ id, store, system }) {
          ran.push('forge')
          await system.paper.patch(id, { title: 'half' })
          await store.paper.patch(id, { title: 'forged' })
        },
      },
      recite: {
        asks: 'View',
        body: Type.Object({ length: Type.Integer() }),
        answer: Type.String(),
        async run({ id, body, system, afterCommit }) {
          await system.paper.patch(id, { state: 'recited' })
          afterCommit(() => void ran.push('recited'))
          return 'é'.repeat(body.length)
        },
      },
    },
  })

  const open = () =>
    createStore({
      db: opened.db,
      resources,
      actions,
      limits: { maxAnswer: MAX_ANSWER },
      policies: {
        team: true,
        paper: {
          View: ({ eb, my }) => eb('author', '=', my('id')),
          Edit: ({ eb }) =>
            eb.and([
              eb('state', '=', 'draft'),
              eb.or([
                eb('teamId', 'is', null),
                eb.exists(
                  eb
                    .selectFrom('team')
                    .select('id')
                    .whereRef('team.id', '=', 'paper.teamId')
                    .where('writes', '=', database.name === 'sqlite' ? 1 : true),
                ),
              ]),
            ]),
        },
      },
    })
  let store: ReturnType<typeof open>
  beforeAll(async () => {
    opened = await database.open()
    await createTables(opened.db, resources)
    store = open()
  })
  afterAll(() => opened.close())

  let id: number
  let team: number
  beforeEach(async () => {
    ran = []
    goOn = Promise.withResolvers()
    holds = Promise.withResolvers()
    team = (await store.asSystem().team.create({ name: 't', writes: true })).id
    id = (await store.asSystem().paper.create({ title: 'p', author: 1, teamId: team })).id
  })
  const mine = () => store.as({ id: 1 }).paper

  const waiting = sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

  /** Begins an action while another one holds the lock of its record, and ends that. */
  async function meanwhile<Result>(change: object, work: () => Promise<Result>): Promise<PromiseSettledResult<Result>> {
    const holding = store.asSystem().paper.act(id, 'hold', change)
    await holds.promise
    const settled = Promise.allSettled([work()])
    if (database.name === 'postgres')
      await expect.poll(async () => (await waiting.execute(opened.db)).rows).toHaveLength(1)
    goOn.resolve()
    await holding
    return (await settled)[0]
  }
  const refused = (code: string) => ({ status: 'rejected', reason: { code } })

  test('is forbidden if the record has changed so that a policy says no', async () => {
    expect(await meanwhile({ state: 'final' }, () => mine().act(id, 'print'))).toMatchObject(
      refused('CRUD_ERR_FORBIDDEN'),
    )
    expect(ran).toEqual([])
    expect(await mine().find(id)).toMatchObject({ title: 'p', state: 'final' })
  })

  test('is forbidden if another record has changed that the policy asks about', async () => {
    expect(await meanwhile({ team }, () => mine().act(id, 'print'))).toMatchObject(refused('CRUD_ERR_FORBIDDEN'))
    expect(ran).toEqual([])
  })

  test('finds no record that is out of sight by then, or gone', async () => {
    for (const change of [{ author: 2 }, { isGone: true }]) {
      const paper = await store.asSystem().paper.create({ title: 'p', author: 1 })
      id = paper.id
      holds = Promise.withResolvers()
      goOn = Promise.withResolvers()
      expect(await meanwhile(change, () => mine().act(id, 'print'))).toMatchObject(refused('CRUD_ERR_NOT_FOUND'))
    }
    expect(ran).toEqual([])
  })

  test('is done if what it waited for has allowed it', async () => {
    const others = store.as({ id: 2 }).paper
    expect(await meanwhile({ author: 2 }, () => others.act(id, 'print'))).toMatchObject({
      status: 'fulfilled',
      value: { title: 'printed', author: 2 },
    })
    expect(ran).toEqual(['print'])
  })

  test('is undone as a whole if its own writes are what the caller may not do by then', async () => {
    expect(await meanwhile({ state: 'final' }, () => mine().act(id, 'forge'))).toMatchObject(
      refused('CRUD_ERR_FORBIDDEN'),
    )
    expect(ran).toEqual(['forge'])
    expect(await mine().find(id)).toMatchObject({ title: 'p' })
  })

  test('an answer larger than maxAnswer is refused, and all is undone', async () => {
    // A letter of two bytes, between quotes.
    const fits = (MAX_ANSWER - 2) / 2
    const large = mine().act(id, 'recite', { length: fits + 1 })
    await expect(large).rejects.toMatchObject({
      code: 'CRUD_ERR_TOO_LARGE',
      message: expect.stringMatching(/nothing is stored/),
    })
    expect(await mine().find(id)).toMatchObject({ state: 'draft' })
    expect(await mine().act(id, 'recite', { length: fits })).toHaveLength(fits)
    expect(await mine().find(id)).toMatchObject({ state: 'recited' })
    await expect.poll(() => ran).toEqual(['recited'])
  })
})
