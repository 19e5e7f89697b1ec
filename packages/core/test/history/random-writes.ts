import { defineResources, field, knows, needs, ownedBy, owns, type Store } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import fc from 'fast-check'

// Random writes of a model with trees, moves, orders, links, references and soft deletes.

export const resources = defineResources({
  tag: {
    fields: { name: Type.String() },
    unique: [['name']],
    relations: { lists: knows.many('list', { through: 'list_tags' }) },
    history: true,
  },
  label: { softDelete: 'deletedAt', fields: { name: Type.String() }, history: true },
  list: {
    fields: { title: Type.String(), code: Type.Optional(Type.Integer()) },
    unique: [['code']],
    relations: {
      parts: owns.many('part'),
      cover: owns.one('cover'),
      tags: knows.many('tag', { through: 'list_tags' }),
      labels: knows.many('label'),
      mark: knows.one('label'),
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
  labels: fc.uniqueArray(fc.record({ id: anyId }), { maxLength: 3, selector: ({ id }) => id }),
  markId: fc.option(anyId),
  leadId: fc.option(anyId),
  authorId: fc.option(anyId),
})
const anyBin = fc.record({ text: anyName, papers: fc.array(fc.record({ text: anyName }), { maxLength: 3 }) })
const anyTree = fc.record({
  name: anyName,
  nodes: fc.array(fc.record({ name: anyName, nodes: fc.constant([] as never[]) }), { maxLength: 2 }),
})

export type Write = (store: Store<typeof resources>) => Promise<unknown>

/** Bodies are random, so that many are refused: then nothing is written. */
export const anyWrite: fc.Arbitrary<Write> = fc.oneof<fc.Arbitrary<Write>[]>(
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
  fc.tuple(anyId, anyId).map(([part, to]) => async (store) => {
    await (await partsWith(store, part)).patch(part, { listId: to })
  }),
  fc.tuple(anyId, anyItem).map(([part, body]) => async (store) => {
    await (await partsWith(store, part)).owned(part, 'items').create(body)
  }),
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
  fc.tuple(anyId, anyId, fc.boolean()).map(
    ([id, list, removes]) =>
      (store) =>
        store.tag.patch(id, { lists: [{ id: list, ...(removes && { $remove: true }) }] } as never),
  ),
  anyName.map((name) => (store) => store.label.createMany([{ name }, { name }])),
  anyId.map((id) => (store) => store.label.delete(id)),
  anyId.map((id) => (store) => store.label.restore(id)),
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

/** The parts of the list that has one of them. */
async function partsWith(store: Store<typeof resources>, part: number) {
  const { rows } = await store.list.list()
  const list = rows.find(({ parts }) => parts.some(({ id }) => id === part))
  return store.list.owned(list?.id ?? part, 'parts')
}

function withoutIds(body: { readonly parts: readonly { readonly name: string; readonly items: unknown }[] }) {
  return { ...body, parts: body.parts.map(({ name, items }) => ({ name, items })) }
}
