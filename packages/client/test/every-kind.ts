import { defineActions, defineResources, field, knows, type Model, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { expect } from 'vitest'

const text = Type.String()
const SOFT = { column: 'goneAt', trash: { purge: true } }
const count = field(Type.Integer(), { default: 0 })

/** The kinds of ids, and what a new record has besides its name. */
export const KINDS = {
  integers: { id: 'integer', own: () => ({}) },
  bigints: { id: 'bigint', own: () => ({}) },
  uuids: { id: 'uuid', own: () => ({}) },
  texts: { id: 'text', own: (number: number) => ({ id: `t ${number}/ü`.replace('/', '-') }) },
  members: { id: ['year', 'code'], own: (number: number) => ({ year: 2_026, code: `c,${number}/` }) },
} as const

export type Kind = keyof typeof KINDS

/** For each kind of ids a resource with all that clients have methods for; with tenants, if it is to have them. */
export function everyKind(hasTenants: boolean) {
  const all = Object.entries(KINDS).flatMap(([kind, { id }]) => [
    [
      kind,
      {
        id,
        fields: { name: text, count, ...(kind === 'members' && { year: Type.Integer(), code: text }) },
        // Records with ids of several parts own nothing, have no links, and are deleted for good.
        ...(kind !== 'members' && {
          relations: { parts: owns.many(`${kind}Part`), tags: knows.many('tag') },
          softDelete: SOFT,
        }),
        unique: [['name']],
        search: { fields: ['name'] },
        ...{ groups: true, history: true },
      },
    ],
    ...(kind === 'members'
      ? []
      : [[`${kind}Part`, { id, fields: { text }, relations: { whole: ownedBy(kind) }, softDelete: SOFT }]]),
  ])
  const resources = { tag: { fields: { name: text } }, ...Object.fromEntries(all) }
  const firm = { firm: { id: 'uuid', fields: { name: text } } }
  const model = hasTenants
    ? defineResources({ ...firm, ...resources } as never, { tenant: { resource: 'firm' } } as never)
    : defineResources(resources as never)
  return model as unknown as Model
}

/** An action of a record, and one of the list, for each kind. */
export function everyAction(model: Model) {
  const of = (kind: string) => ({
    touch: {
      asks: 'Edit',
      body: Type.Object({ by: Type.Integer() }),
      run: async ({ id, body, store }: Run) => void (await store[kind]?.patch(id, { count: { $add: body.by } })),
    },
    names: {
      on: 'list',
      asks: 'View',
      answer: Type.Array(text),
      run: async ({ store }: Run) => (await store[kind]?.list({ sort: ['name'] }))?.rows.map(({ name }) => name),
    },
  })
  return defineActions(model as never, Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, of(kind)])) as never)
}

interface Run {
  readonly id: unknown
  readonly body: { readonly by: number }
  readonly store: Readonly<Record<string, RunCollection>>
}

interface RunCollection {
  patch(id: unknown, body: object): Promise<unknown>
  list(options: object): Promise<{ readonly rows: readonly { readonly name: string }[] }>
}

/** A client whose types are not known. */
// biome-ignore lint/suspicious/noExplicitAny: the same calls for every kind
export type AnyClient = any

/** Calls every method of a client's collection, and checks what it resolves to. */
export async function callEveryMethod(api: AnyClient, kind: Kind): Promise<void> {
  const records = api[kind]
  const { own } = KINDS[kind]
  const body = (number: number, name = `n${number}`) => ({ ...own(number), name })
  const refused = (promise: Promise<unknown>, status: number) => expect(promise).rejects.toMatchObject({ status })

  const owns = kind === 'members' ? {} : { parts: [{ ...own(1), text: 'p' }] }
  const one = await records.create({ ...body(1), ...owns })
  expect(one).toMatchObject({ ...body(1), ...owns, count: 0, $etag: expect.any(String) })
  expect(await records.find(one.id)).toEqual(one)
  expect(await records.find(one.id, { fields: ['name'] })).toEqual({ id: one.id, name: 'n1', partial: true })
  const [two, three] = (await records.createMany([body(2), body(3)])).rows
  const ids = [one.id, two.id, three.id]

  const page = await records.list({
    filter: { id: { in: ids } },
    sort: ['-name'],
    limit: 2,
    etags: true,
    count: 'exact',
  })
  expect(page).toMatchObject({ rows: [{ id: three.id }, { id: two.id }], count: 3, next: expect.any(String) })
  const following = await records.list({ filter: { id: { in: ids } }, sort: ['-name'], after: page.next, etags: true })
  expect(following.rows).toEqual([one])
  const long = { id: { in: [...ids, ...Array.from({ length: 480 }, () => one.id)] } }
  expect((await records.list({ filter: long })).count).toBe(3)
  const names: string[] = []
  for await (const { name } of records.all({ sort: ['name'], limit: 2 })) names.push(name)
  expect(names).toEqual(['n1', 'n2', 'n3'])
  expect((await records.list({ search: 'n2' })).rows).toMatchObject([{ id: two.id }])
  expect((await records.group({ by: ['count'], values: ['count()'] })).rows).toEqual([{ count: 0, 'count()': 3 }])
  expect(await records.act('names')).toEqual(names)

  const patched = await records.patch(one, { count: { $add: 2 } })
  expect(patched.count).toBe(2)
  await refused(records.patch(one, { count: 9 }), 412)
  const replaced = await records.replace(patched, { ...patched, count: 3 })
  expect(replaced).toMatchObject({ count: 3, ...owns })
  const touched = await records.act(replaced, 'touch', { by: 4 })
  expect(touched).toMatchObject({ id: one.id, count: 7, $etag: expect.any(String) })
  expect((await records.patchMany([{ id: two.id, count: 1 }])).rows).toMatchObject([{ id: two.id, count: 1 }])
  expect((await records.replaceMany([{ ...two, count: 2 }])).rows).toMatchObject([{ id: two.id, count: 2 }])
  const { record, isNew } = await records.upsert({ ...body(2), count: 5 }, { by: ['name'] })
  expect([record.id, record.count, isNew]).toEqual([two.id, 5, false])
  expect((await records.upsertMany([{ ...body(3), count: 5 }], { by: ['name'] })).rows).toHaveLength(1)
  const matching = { filter: { count: 5 }, maxAffected: 2 }
  expect(await records.patchMatching(matching, { count: 6 })).toEqual({ count: 2 })

  if (kind !== 'members') await callMethodsOfRelations(api, kind, one.id)

  const preview = await records.preview.patch(await records.find(one.id), { count: 8 })
  expect(preview.changes).toMatchObject([{ action: 'Edit', resource: kind, id: one.id, after: { count: 8 } }])
  expect(await preview.confirm()).toMatchObject({ id: one.id, count: 8 })
  const { rows: writes } = await records.history(one.id)
  expect(writes[0]).toMatchObject({ operation: 'patch', changes: preview.changes.map(() => expect.anything()) })
  expect(await records.historyEntry(one.id, writes[0].write)).toEqual(writes[0])
  expect(await records.undo(one.id, writes[0].write)).toMatchObject({ count: 7 })

  await records.delete(await records.find(one.id))
  await refused(records.find(one.id), 404)
  if (kind !== 'members') await callMethodsOfTrash(records, one.id, { count: 7, ...owns })
  expect(await records.deleteMatching({ filter: { name: { startsWith: 'n' } }, maxAffected: 2 })).toEqual({ count: 2 })
  expect((await records.list()).count).toBe(0)
}

/** Those of what a record owns, and of what it is linked to. */
async function callMethodsOfRelations(api: AnyClient, kind: Kind, id: unknown): Promise<void> {
  const { own } = KINDS[kind]
  const parts = api[kind].owned(id, 'parts')
  const part = await parts.create({ ...own(2), text: 'q' })
  expect((await parts.list({ sort: ['text'] })).rows.map((row: { text: string }) => row.text)).toEqual(['p', 'q'])
  expect(await parts.patch(part, { text: 'r' })).toMatchObject({ id: part.id, text: 'r' })
  await parts.delete(part.id)
  await expect(parts.find(part.id)).rejects.toMatchObject({ status: 404 })
  const tag = await api.tag.create({ name: 'x' })
  const tags = api[kind].linked(id, 'tags')
  await tags.add(tag.id)
  expect((await tags.list()).rows).toMatchObject([{ name: 'x' }])
  await tags.remove(tag.id)
}

/** `as`: what the record is like that comes back. */
async function callMethodsOfTrash(records: AnyClient, id: unknown, as: object): Promise<void> {
  expect((await records.deleted.list()).rows).toMatchObject([{ id }])
  const back = await records.restore(await records.deleted.find(id))
  expect(back).toMatchObject({ id, ...as })
  await records.delete(back)
  await records.purge(id)
  await expect(records.deleted.find(id)).rejects.toMatchObject({ status: 404 })
}
