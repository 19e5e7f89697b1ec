import {
  type AnyKysely,
  createStore,
  defineResources,
  type GuardedStore,
  knows,
  type Model,
  ownedBy,
  owns,
  type Policies,
} from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { isLong } from '../../../../test/support/is-long.ts'
import { seed } from '../../../../test/support/seed.ts'

const RUNS = Number(process.env.FC_RUNS ?? (isLong ? 150 : 6))
const WRITES = 12
/** In ms. */
const LIMIT = 60_000 + RUNS * 5_000

const resources = defineResources({
  memo: {
    fields: { text: Type.String(), org: Type.Integer() },
    relations: { lines: owns.many('line'), files: knows.many('file') },
    history: true,
  },
  line: {
    fields: { text: Type.String(), isPrivate: Type.Boolean() },
    relations: { memo: ownedBy('memo', { moves: true }) },
  },
  file: { fields: { text: Type.String(), org: Type.Integer() }, history: true },
})

interface Caller {
  readonly org: number
}

const policies: Policies<typeof resources, Caller> = {
  memo: ({ eb, my }) => eb('org', '=', my('org')),
  line: { View: ({ eb }) => eb('isPrivate', '=', eb.lit(false)), Add: true, Edit: true, Delete: true },
  file: ({ eb, my }) => eb('org', '=', my('org')),
}

type System = ReturnType<GuardedStore<typeof resources, Caller>['asSystem']>
/** `text`: no two states of records have the same. */
type Write = (store: System, text: () => string) => Promise<unknown>

const anyId = fc.integer({ min: 1, max: 3 })
const anyOrg = fc.integer({ min: 1, max: 2 })
const anyLine = fc.integer({ min: 1, max: 6 })

const anyWrite: fc.Arbitrary<Write> = fc.oneof<fc.Arbitrary<Write>[]>(
  fc.tuple(anyId, anyOrg).map(
    ([id, org]) =>
      (store, text) =>
        store.memo.patch(id, { org, text: text() }),
  ),
  fc.tuple(anyId, fc.boolean()).map(
    ([id, isPrivate]) =>
      (store, text) =>
        store.memo.patch(id, { text: text(), lines: [{ text: text(), isPrivate }] }),
  ),
  fc.tuple(anyLine, fc.boolean()).map(([id, isPrivate]) => async (store, text) => {
    await (await linesWith(store, id)).patch(id, { text: text(), isPrivate })
  }),
  fc.tuple(anyLine, anyId).map(([id, memoId]) => async (store, text) => {
    await (await linesWith(store, id)).patch(id, { text: text(), memoId })
  }),
  anyLine.map((id) => async (store) => {
    await (await linesWith(store, id)).delete(id)
  }),
  fc.tuple(anyId, anyOrg).map(
    ([id, org]) =>
      (store, text) =>
        store.file.patch(id, { org, text: text() }),
  ),
  fc.tuple(anyId, anyId, fc.boolean()).map(
    ([id, file, removes]) =>
      (store, text) =>
        store.memo.patch(id, { text: text(), files: [{ id: file, ...(removes && { $remove: true as const }) }] }),
  ),
  fc.oneof({ weight: 1, arbitrary: anyId }).map((id) => (store) => store.memo.delete(id)),
)

async function linesWith(store: System, line: number) {
  const { rows } = await store.memo.list()
  const memo = rows.find(({ lines }) => lines.some(({ id }) => id === line))
  return store.memo.owned(memo?.id ?? 1, 'lines')
}

interface Row {
  readonly id: number
  readonly text: string
  readonly org?: number
  readonly isPrivate?: boolean
}

interface Memo extends Row {
  readonly lines: readonly Row[]
  readonly files: readonly Row[]
}

/** All that there is at some moment. */
interface State {
  readonly at: string
  readonly memos: ReadonlyMap<number, Memo>
  readonly files: ReadonlyMap<number, Row>
}

describeOnBoth('What policies hide of earlier states', (database) => {
  test(
    `is in no record as it was, in no history and in no undo (FC_SEED=${seed})`,
    async () => {
      const counted = { found: 0, hidden: 0, undos: 0 }
      await fc.assert(
        fc.asyncProperty(fc.array(anyWrite, { minLength: WRITES, maxLength: WRITES }), async (writes) => {
          const open = await database.open()
          try {
            await createTables(open.db, resources as Model)
            const store = createStore({ db: open.db, resources, policies })
            const states = await carriedOut(open.db, store.asSystem(), writes)
            for (const org of [1, 2]) {
              const reader = store.as({ org })
              const allowed = new Allowed(states, org)
              for (const id of [1, 2, 3]) {
                for (const { at, memos } of states) {
                  const found = await orUndefined(reader.memo.find(id, { at }))
                  expect([org, at, found]).toEqual([org, at, allowed.memo(memos.get(id))])
                  counted[found === undefined ? 'hidden' : 'found'] += 1
                }
                const { rows = [] } = (await orUndefined(reader.memo.history(id))) ?? {}
                expect(textsIn(rows).filter((text) => !allowed.texts.has(text))).toEqual([])
                for (const { write } of rows) {
                  const options = { dryRun: true, returns: 'effects' } as const
                  const effects = await reader.memo.undo(id, write, options).catch((error) => {
                    if (error.code === undefined || error.status >= 500) throw error
                    return error.changes
                  })
                  expect(textsIn(effects).filter((text) => !allowed.texts.has(text))).toEqual([])
                  counted.undos += 1
                }
              }
            }
          } finally {
            await open.close()
          }
        }),
        { seed, numRuns: RUNS },
      )
      expect(Math.min(counted.found, counted.hidden, counted.undos)).toBeGreaterThan(RUNS * 3)
    },
    LIMIT,
  )
})

/** Carries out the writes, and notes what there is behind each. Each is of a moment of its own. */
async function carriedOut(db: AnyKysely, store: System, writes: readonly Write[]): Promise<readonly State[]> {
  let count = 0
  const text = () => {
    count += 1
    return `text ${count}.`
  }
  await store.file.createMany([1, 2, 1].map((org) => ({ text: text(), org })))
  const files = [1, 2].map((id) => ({ id }))
  for (const org of [1, 2, 1]) {
    const lines = [true, false].map((isPrivate) => ({ text: text(), isPrivate }))
    await store.memo.create({ text: text(), org, lines, files })
  }
  const states: State[] = []
  for (const write of [async () => {}, ...writes]) {
    await write(store, text).catch((error) => {
      if (error.code === undefined || error.status >= 500) throw error
    })
    await sql`update crud_history set at = position * 1000`.execute(db)
    const { last } = await db
      .selectFrom('crud_history')
      .select((of) => of.fn.max('position').as('last'))
      .executeTakeFirstOrThrow()
    const memos = (await store.memo.list()).rows as readonly Memo[]
    const all = (await store.file.list()).rows as readonly Row[]
    states.push({
      at: new Date(Number(last) * 1000).toISOString(),
      memos: new Map(memos.map((memo) => [memo.id, memo])),
      files: new Map(all.map((file) => [file.id, file])),
    })
  }
  return states
}

/** What a reader may be shown, by the policies alone: an implementation that knows all states. */
class Allowed {
  /** Those of states that its rows allow, of records that the reader sees now. */
  readonly texts: ReadonlySet<string>
  readonly #org: number
  readonly #memos: ReadonlySet<number>
  readonly #lines: ReadonlySet<number>
  readonly #files: ReadonlyMap<number, Row>

  constructor(states: readonly State[], org: number) {
    this.#org = org
    const now = states.at(-1) as State
    this.#files = new Map([...now.files].filter(([, file]) => file.org === org))
    // Of a record that is gone, its last state counts.
    const memos = new Map(states.flatMap((state) => [...state.memos]))
    this.#memos = new Set([...memos.values()].filter((memo) => memo.org === org).map(({ id }) => id))
    const lines = new Map<number, { line: Row; memo: number }>()
    for (const state of states) {
      for (const { id: memo, lines: all } of state.memos.values()) {
        for (const line of all) lines.set(line.id, { line, memo })
      }
    }
    const shown = [...lines.values()].filter(({ line, memo }) => !line.isPrivate && this.#memos.has(memo))
    this.#lines = new Set(shown.map(({ line }) => line.id))
    const texts = states.flatMap(({ memos: all, files }) => [
      ...[...all.values()].flatMap((memo) => [
        ...(memo.org === org && this.#memos.has(memo.id) ? [memo.text] : []),
        ...memo.lines.filter((line) => !line.isPrivate && this.#lines.has(line.id)).map(({ text }) => text),
      ]),
      ...[...files.values()].filter((file) => file.org === org && this.#files.has(file.id)).map(({ text }) => text),
    ])
    this.texts = new Set(texts)
  }

  memo(then: Memo | undefined): Memo | undefined {
    if (then === undefined || then.org !== this.#org || !this.#memos.has(then.id)) return undefined
    const lines = then.lines.filter((line) => !line.isPrivate && this.#lines.has(line.id))
    return { ...then, lines, files: then.files.flatMap(({ id }) => this.#files.get(id) ?? []) }
  }
}

function textsIn(value: unknown): readonly string[] {
  return JSON.stringify(value ?? null).match(/text \d+\./g) ?? []
}

async function orUndefined<Result>(found: Promise<Result>): Promise<Result | undefined> {
  return await found.catch((error) => {
    if (error.code !== 'CRUD_ERR_NOT_FOUND' && error.code !== 'CRUD_ERR_FORBIDDEN') throw error
    return undefined
  })
}
