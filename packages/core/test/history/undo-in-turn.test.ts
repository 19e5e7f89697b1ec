import {
  type AnyKysely,
  createStore,
  defineResources,
  field,
  knows,
  type Model,
  needs,
  ownedBy,
  owns,
  type Store,
} from '@fastify-crud/core'
import { createTables } from '@fastify-crud/tables'
import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  tag: { fields: { name: Type.String() }, unique: [['name']], history: true },
  list: {
    fields: { title: Type.String(), code: Type.Optional(Type.Integer()) },
    unique: [['code']],
    relations: {
      parts: owns.many('part'),
      cover: owns.one('cover'),
      tags: knows.many('tag'),
      lead: knows.one('item'),
      author: needs.one('tag', { optional: true }),
    },
    history: true,
  },
  cover: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
  part: {
    fields: { name: Type.String() },
    unique: [['list', 'name']],
    relations: { list: ownedBy('list', { moves: true }), items: owns.many('item', { order: 'position' }) },
  },
  item: {
    fields: { text: Type.String(), done: field(Type.Boolean(), { default: false }) },
    relations: { part: ownedBy('part'), next: knows.one('item') },
  },
  node: {
    fields: { name: Type.String() },
    relations: { nodes: owns.many('node'), parent: ownedBy('node', { optional: true, moves: true }) },
    history: true,
  },
  bin: {
    softDelete: 'deletedAt',
    fields: { text: Type.String() },
    relations: { papers: owns.many('paper') },
    history: true,
  },
  paper: { softDelete: 'deletedAt', fields: { text: Type.String() }, relations: { bin: ownedBy('bin') } },
})

const TABLES = ['tag', 'list', 'cover', 'part', 'item', 'node', 'bin', 'paper', 'list_tags']
const WRITES = 12
const SEED = Number(process.env.UNDO_SEED ?? Math.floor(Math.random() * 1e9))
const RUNS = Number(process.env.UNDO_RUNS ?? 8)

async function tablesOf(db: AnyKysely) {
  const rows: Record<string, unknown> = {}
  for (const table of TABLES) {
    const found = await db.selectFrom(table).selectAll().execute()
    // A record that goes again is deleted as any other: its row may be kept.
    rows[table] = found.flatMap((row) => (row.deletedAt ? [] : [JSON.stringify(row)])).sort()
  }
  return rows
}

const anyName = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const anyId = fc.integer({ min: 1, max: 5 })
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined })
const anyItem = fc.record({ text: anyName, nextId: fc.option(anyId) })
const anyPart = fc.record({ id: maybe(anyId), name: anyName, items: fc.array(anyItem, { maxLength: 3 }) })
const anyList = fc.record({
  title: anyName,
  code: maybe(fc.integer({ min: 1, max: 4 })),
  parts: fc.uniqueArray(anyPart, { maxLength: 3, selector: ({ name }) => name }),
  cover: fc.option(fc.record({ text: anyName })),
  tags: fc.uniqueArray(fc.record({ id: anyId }), { maxLength: 3, selector: ({ id }) => id }),
  leadId: fc.option(anyId),
  authorId: fc.option(anyId),
})
const anyBin = fc.record({ text: anyName, papers: fc.array(fc.record({ text: anyName }), { maxLength: 3 }) })
const anyTree = fc.record({
  name: anyName,
  nodes: fc.array(fc.record({ name: anyName, nodes: fc.constant([] as never[]) }), { maxLength: 2 }),
})

type Write = (store: Store<typeof resources>) => Promise<unknown>

/** Bodies are random, so that many are refused: then nothing is written. */
const anyWrite: fc.Arbitrary<Write> = fc.oneof<fc.Arbitrary<Write>[]>(
  anyList.map((body) => (store) => store.list.create(withoutIds(body) as never)),
  fc.tuple(anyId, anyList).map(
    ([id, body]) =>
      (store) =>
        store.list.replace(id, body as never),
  ),
  fc.tuple(anyId, anyList).map(
    ([id, body]) =>
      (store) =>
        store.list.patch(id, body as never),
  ),
  fc.tuple(anyId, anyId, anyId).map(
    ([id, part, to]) =>
      (store) =>
        store.list.owned(id, 'parts').patch(part, { listId: to }),
  ),
  fc.tuple(anyId, anyId).map(
    ([id, part]) =>
      (store) =>
        store.list.owned(id, 'parts').delete(part),
  ),
  fc.tuple(anyId, anyId, anyId, fc.option(anyId)).map(
    ([id, part, item, before]) =>
      (store) =>
        store.list
          .owned(id, 'parts')
          .owned(part, 'items')
          .patch(item, { $before: before } as never),
  ),
  anyId.map((id) => (store) => store.list.delete(id)),
  fc
    .array(anyName, { minLength: 1, maxLength: 3 })
    .map((names) => (store) => store.tag.createMany(names.map((name) => ({ name })))),
  anyId.map((id) => (store) => store.tag.delete(id)),
  fc.tuple(anyId, anyId).map(
    ([one, other]) =>
      (store) =>
        store.list.patchMany([
          { id: one, code: 1 },
          { id: other, code: 2 },
        ] as never),
  ),
  anyBin.map((body) => (store) => store.bin.create(body)),
  fc.tuple(anyId, anyBin).map(
    ([id, body]) =>
      (store) =>
        store.bin.replace(id, body),
  ),
  anyId.map((id) => (store) => store.bin.delete(id)),
  anyId.map((id) => (store) => store.bin.restore(id)),
  anyTree.map((body) => (store) => store.node.create(body as never)),
  fc.tuple(anyId, fc.option(anyId)).map(
    ([id, to]) =>
      (store) =>
        store.node.patch(id, { parentId: to } as never),
  ),
  anyId.map((id) => (store) => store.node.delete(id)),
)

function withoutIds(body: { readonly parts: readonly { readonly name: string; readonly items: unknown }[] }) {
  return { ...body, parts: body.parts.map(({ name, items }) => ({ name, items })) }
}

describeOnBoth('Writes that are undone in turn', (database) => {
  test(`leave the tables as they were, row by row (UNDO_SEED=${SEED})`, async () => {
    const counted = { undone: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(anyWrite, { minLength: WRITES, maxLength: WRITES }), async (writes) => {
        const open = await database.open()
        try {
          const { db } = open
          await createTables(db, resources as Model)
          const store = createStore({ db, resources })
          await store.tag.createMany([{ name: 'x' }, { name: 'y' }])
          await store.list.create({
            title: 'first',
            parts: [{ name: 'p', items: [{ text: '1' }, { text: '2' }] }],
          } as never)
          const states = [await tablesOf(db)]
          const skipped = (await historyOf(db)).length
          for (const write of writes) {
            await write(store).catch((error) => {
              if (error.code === undefined || error.status >= 500) throw error
            })
            const state = await tablesOf(db)
            const kept = (await historyOf(db)).length - skipped
            if (kept === states.length) states.push(state)
            else expect(state).toEqual(states.at(-1))
          }
          const history = (await historyOf(db)).slice(skipped)
          for (const [index, { write, resource, record }] of history.toReversed().entries()) {
            await (store as never as Record<string, { undo(id: unknown, write: string): Promise<unknown> }>)[
              resource
            ]?.undo(record, write)
            expect(await tablesOf(db)).toEqual(states.at(-2 - index))
            counted.undone += 1
          }
        } finally {
          await open.close()
        }
      }),
      { seed: SEED, numRuns: RUNS },
    )
    expect(counted.undone).toBeGreaterThan(RUNS)
  })
})

/** The writes, with a record of the top that each has touched. */
async function historyOf(db: AnyKysely) {
  const rows = await db
    .selectFrom('crud_history as h')
    .innerJoin('crud_history_records as r', 'r.write', 'h.id')
    .where('r.resource', 'in', ['tag', 'list', 'bin', 'node'])
    .select(['h.position', 'h.id as write', 'r.resource', 'r.record'])
    .orderBy('h.position')
    .execute()
  const firsts = new Map(rows.toReversed().map((row) => [row.write, row]))
  return [...firsts.values()].toReversed().map(({ write, resource, record }) => {
    return { write: String(write), resource: String(resource), record: Number(record) }
  })
}
