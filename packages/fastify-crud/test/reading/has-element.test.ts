import { Type } from '@sinclair/typebox'
import { createStore, defineResources, type Model, needs, openApiOf } from 'fastify-crud'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { setups } from '../../../../test/support/databases.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const resources = defineResources({
  post: {
    fields: {
      tags: Type.Array(Type.String()),
      sizes: Type.Optional(Type.Array(Type.Integer())),
      rates: Type.Optional(Type.Array(Type.Number())),
      flags: Type.Optional(Type.Array(Type.Union([Type.Boolean(), Type.Null()]))),
      kinds: Type.Optional(Type.Array(Type.Union([Type.Literal('a'), Type.Literal('b')]))),
      points: Type.Optional(Type.Array(Type.Object({ x: Type.Number() }))),
      any: Type.Optional(Type.Any()),
    },
    computed: {
      again: { schema: Type.Optional(Type.Array(Type.String())), value: ({ eb }) => eb.ref('tags') },
    },
  },
  note: { fields: { text: Type.String() }, relations: { post: needs.one('post') } },
})

const posts = [
  { tags: ['red', 'it\'s "\\ü'], sizes: [1, 30], rates: [0.1, 2], flags: [true, null], kinds: ['a'] },
  { tags: ['Red', '', 're', 'red '], sizes: [3], rates: [1e21, -0.5], flags: [false], kinds: ['a', 'b'] },
  { tags: [], sizes: null, rates: [], flags: [null], kinds: null },
  { tags: ['1', 'true', 'null', '["red"]'], sizes: [], rates: [1], flags: [], kinds: [] },
]

const filters: readonly (readonly [filter: object, found: readonly number[]])[] = [
  [{ tags: { has: 'red' } }, [0]],
  [{ tags: { has: 'it\'s "\\ü' } }, [0]],
  [{ tags: { has: '' } }, [1]],
  [{ tags: { has: '1' } }, [3]],
  [{ tags: { has: 'null' } }, [3]],
  [{ tags: { has: '["red"]' } }, [3]],
  [{ tags: { has: 'e' } }, []],
  [{ not: { tags: { has: 'red' } } }, [1, 2, 3]],
  [{ and: [{ tags: { has: 'Red' } }, { tags: { has: 're' } }] }, [1]],
  [{ or: [{ tags: { has: 'red' } }, { sizes: { has: 3 } }] }, [0, 1]],
  [{ sizes: { has: 3 } }, [1]],
  [{ sizes: { has: 9007199254740991 } }, []],
  [{ not: { sizes: { has: 3 } } }, [0, 2, 3]],
  [{ rates: { has: 0.1 } }, [0]],
  [{ rates: { has: 2 } }, [0]],
  [{ rates: { has: 1e21 } }, [1]],
  [{ flags: { has: true } }, [0]],
  [{ flags: { has: false } }, [1]],
  [{ kinds: { has: 'b' } }, [1]],
  [{ kinds: { has: 'a', null: false } }, [0, 1]],
  [{ sizes: { null: true } }, [2]],
  [{ again: { has: 'red' } }, [0]],
]

function hasTests(database: (typeof setups)[number], options: Parameters<typeof useApp>[2]): void {
  const service = useApp(database, resources as Model, options)
  const addAll = async () => {
    const ids: number[] = []
    for (const post of posts) ids.push((await service.add('/api/post', post)).id)
    return ids
  }
  const found = async (query: string) =>
    (await service.read(`/api/${query}`)).rows.map(({ id }: { id: number }) => id) as number[]

  test('finds the arrays with an element', async () => {
    const ids = await addAll()
    for (const [filter, indexes] of filters) {
      const text = JSON.stringify(filter)
      expect([text, await found(`post?filter=${encodeURIComponent(text)}`)]).toEqual([
        text,
        indexes.map((at) => ids[at]),
      ])
    }
  })

  test('in the URL, through a relation, and in a nested list', async () => {
    const [first, second] = await addAll()
    expect(await found('post?filter[tags][has]=red')).toEqual([first])
    expect(await found('post?filter[sizes][has]=3')).toEqual([second])
    expect(await found('post?filter[flags][has]=true')).toEqual([first])
    expect(await found('post?filter[tags][has]=1')).toHaveLength(1)
    const { id } = await service.add('/api/note', { text: 'x', postId: first })
    await service.add('/api/note', { text: 'y', postId: second })
    expect(await found('note?filter[post.tags][has]=red')).toEqual([id])
    expect(await found(`note?filter=${encodeURIComponent('{"not":{"post.tags":{"has":"red"}}}')}`)).toHaveLength(1)
  })

  test('in the store', async () => {
    const [first] = await addAll()
    const store = createStore({ db: service.db, resources })
    const { rows } = await store.post.list({ filter: { tags: { has: 'red' } } })
    // @ts-expect-error no element
    await expect(store.post.list({ filter: { tags: { has: 1 } } })).rejects.toThrow('must be string')
    // @ts-expect-error no operator of arrays
    await expect(store.post.list({ filter: { tags: { contains: 'r' } } })).rejects.toThrow('use one of has, null')
    expect(rows).toMatchObject([{ id: first }])
  })

  test.each([
    [{ tags: { has: 1 } }, 'must be string'],
    [{ tags: { has: null } }, 'must not be null'],
    [{ tags: { has: ['red'] } }, 'must be string'],
    [{ sizes: { has: 'red' } }, 'must be integer'],
    [{ flags: { has: 1 } }, 'must be true or false'],
    [{ tags: { contains: 'r' } }, 'use one of has, null'],
    [{ tags: 'red' }, 'use one of has, null'],
    [{ points: { has: 1 } }, 'use one of null'],
    [{ any: { has: 1 } }, 'use one of null'],
    [{ id: { has: 1 } }, 'does not fit this value'],
  ])('400: %j', async (filter, message) => {
    const { status, body } = await service.get(`/api/post?filter=${encodeURIComponent(JSON.stringify(filter))}`)
    expect({ status, errors: body.errors }).toMatchObject({
      status: 400,
      errors: [{ message: expect.stringContaining(message) }],
    })
  })
}

describeOnBoth('has, of JSON arrays', (database) => hasTests(database, {}))

describe.each(setups.filter(({ name }) => name === 'postgres'))('has, of arrays of PostgreSQL ($title)', (database) => {
  hasTests(database, {
    async tables({ db }) {
      for (const statement of [
        `create type kind as enum ('a', 'b')`,
        `create table post (id bigint primary key generated by default as identity, tags varchar(50)[] not null, sizes integer[], rates numeric[], flags boolean[], kinds kind[], points jsonb, "any" json)`,
        'create table note (id bigint primary key generated by default as identity, text text not null, "postId" bigint not null references post (id))',
      ])
        await sql.raw(statement).execute(db)
    },
  })
})

test('a text that is JSON but no array has no elements (sqlite)', async () => {
  const [sqlite] = setups.filter(({ isDirect }) => isDirect)
  const { db, close } = await (sqlite as (typeof setups)[number]).open()
  const lists = defineResources({ a: { fields: { x: Type.Array(Type.String()) } } })
  await sql`create table a (id integer primary key, x text not null)`.execute(db)
  await sql`insert into a (x) values ('"red"'), ('{"x":"red"}'), ('red'), ('["red"]'), ('')`.execute(db)
  const { rows } = await createStore({ db: db as never, resources: lists }).a.list({ filter: { x: { has: 'red' } } })
  expect(rows.map(({ id }) => id)).toEqual([4])
  await close()
})

test('the document has the operator for arrays of scalars only', () => {
  const { schemas, parameters } = openApiOf(resources as Model).components as unknown as Record<
    string,
    Record<string, { name: string; properties: object }>
  >
  expect(schemas?.['filter.strings']?.properties).toEqual({ has: { type: 'string' }, null: { type: 'boolean' } })
  expect(schemas?.['filter.integers']?.properties).toMatchObject({ has: { type: 'integer' } })
  expect(Object.keys(schemas?.['filter.json']?.properties ?? {})).toEqual(['null'])
  const names = Object.values(parameters ?? {}).map(({ name }) => name)
  expect(names.filter((name) => name.includes('[has]')).sort()).toEqual(
    ['again', 'flags', 'kinds', 'rates', 'sizes', 'tags'].map((name) => `filter[${name}][has]`),
  )
})
