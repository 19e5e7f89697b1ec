import { CrudError, createStore, defineResources, type Id, needs, ownedBy, owns } from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { OpenDatabase } from '../support/databases.ts'
import { describeOnBoth } from '../support/describe-on-databases.ts'

const text = Type.String()

const resources = defineResources({
  item: {
    fields: { code: text, title: text },
    relations: { parts: owns.many('part') },
    unique: [['code']],
  },
  part: { fields: { name: text }, relations: { item: ownedBy('item') } },
  place: {
    fields: { rank: Type.Integer() },
    relations: { next: needs.one('place', { optional: true }) },
  },
})

/** More than one statement takes on SQLite. */
const MANY = 3_500
const TURN = '-- a turn of the event loop'

function times<Item>(item: (index: number) => Item): Item[] {
  return Array.from({ length: MANY }, (_, index) => item(index))
}

describeOnBoth('a write of many records', (database) => {
  let open: OpenDatabase
  const store = () => createStore({ db: open.db, resources })

  beforeAll(async () => {
    open = await database.open()
    await createTables(open.db, resources)
  })
  beforeEach(() => open.empty())
  afterAll(() => open.close())

  // Every statement of PostgreSQL is waited for.
  const onSqlite = (title: string, run: () => Promise<void>) => database.name === 'sqlite' && test(title, run)

  const addMany = async () => {
    const { rows } = await store().item.createMany(
      times((n) => ({ code: `c${n}`, title: 'old', parts: [{ name: `p${n}` }] })),
    )
    return rows
  }

  /** How many turns of the event loop there are between the begin and the end of the transaction. */
  const turnsWithin = async (write: () => Promise<unknown>): Promise<number> => {
    let isDone = false
    const tick = () => {
      open.statements.note(TURN)
      if (!isDone) setImmediate(tick)
    }
    setImmediate(tick)
    const noted = await open.statements.record(async () => {
      await write()
      isDone = true
    })
    const begin = noted.findIndex((statement) => /^begin/i.test(statement))
    const end = noted.findLastIndex((statement) => /^(?:commit|rollback)/i.test(statement))
    expect(end).toBeGreaterThan(begin)
    return noted.slice(begin, end).filter((statement) => statement === TURN).length
  }

  onSqlite('lets the process of SQLite do other things meanwhile, whatever it does', async () => {
    const { item } = store()
    let rows: readonly { readonly id: number }[] = []
    const writes = {
      new: async () => (rows = (await item.createMany(times((n) => ({ code: `c${n}`, title: 'old' })))).rows),
      patched: () => item.patchMany(times((n) => ({ id: rows[n]?.id as number, title: `t${n}` }))),
      replaced: () => item.replaceMany(times((n) => ({ id: rows[n]?.id as number, code: `c${n}`, title: `u${n}` }))),
      byKey: () =>
        item.upsertMany(
          times((n) => ({ code: `c${n}`, title: `v${n}` })),
          { by: ['code'] },
        ),
      rotated: () => item.patchMany(times((n) => ({ id: rows[n]?.id as number, code: `c${(n + 1) % MANY}` }))),
      missing: () => item.patchMany(times((n) => ({ id: 2 ** 40 + n, title: 'x' }))).catch(() => {}),
      owner: () =>
        item.replace(rows[0]?.id as number, { code: 'one', title: 'x', parts: times((n) => ({ name: `${n}` })) }),
      deleted: () => item.deleteMatching({ filter: { title: { ne: '' } }, maxAffected: 2 * MANY }),
    }
    for (const [title, write] of Object.entries(writes)) {
      expect([title, (await turnsWithin(write)) >= 3]).toEqual([title, true])
    }
  })

  onSqlite('takes no turn for one record', async () => {
    const { item } = store()
    let id: Id = 0
    const writes = [
      async () => ({ id } = await item.create({ code: 'a', title: 'x' })),
      () => item.patch(id as number, { title: 'y' }),
      () => item.upsert({ code: 'a', title: 'z' }, { by: ['code'] }),
      () => item.createMany([{ code: 'b', title: 'x' }]),
      () => item.delete(id as number),
    ]
    for (const write of writes) expect(await turnsWithin(write)).toBe(0)
  })

  test('answers with all records in the order of the bodies', async () => {
    const rows = await addMany()
    expect(rows.map(({ code, parts }) => [code, parts[0]?.name])).toEqual(times((n) => [`c${n}`, `p${n}`]))
    const { rows: changed } = await store().item.patchMany(
      rows.toReversed().map(({ id }, n) => ({ id, title: `t${n}` })),
    )
    expect(changed.map(({ id, title }) => [id, title])).toEqual(rows.toReversed().map(({ id }, n) => [id, `t${n}`]))
  })

  test('does nothing where the last of its records is refused, and says which it is', async () => {
    const { item } = store()
    await item.create({ code: `c${MANY - 1}`, title: 'there' })
    const refused = await item
      .createMany(times((n) => ({ code: `c${n}`, title: 'new' })))
      .catch((error: unknown) => error as CrudError)
    expect(refused).toBeInstanceOf(CrudError)
    expect(refused).toMatchObject({ code: 'CRUD_ERR_NOT_UNIQUE', errors: [{ pointer: `/${MANY - 1}/code` }] })
    expect((await item.list({ limit: 1 })).count).toBe(1)
  })

  test('may have records that name each other, however far apart', async () => {
    const { place } = store()
    const { rows } = await place.createMany(times(() => ({ rank: 1 })))
    const idAt = (n: number) => rows[n % MANY]?.id as number
    await place.patchMany(times((n) => ({ id: idAt(n), nextId: idAt(n + 1) })))
    expect(await place.deleteMatching({ filter: { rank: 1 }, maxAffected: MANY })).toEqual({ count: MANY })
  })

  test('is too large where all that it reads is, though no part of it is', async () => {
    const rows = await addMany()
    const { item } = createStore({ db: open.db, resources, limits: { maxAnswer: 100_000 } })
    const patched = item.patchMany(rows.map(({ id }) => ({ id, title: 'new' })))
    await expect(patched).rejects.toMatchObject({ code: 'CRUD_ERR_TOO_LARGE' })
  })
})
