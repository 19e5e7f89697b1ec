import { Type } from '@sinclair/typebox'
import { type AccessQuestion, countOf, defineResources, neededBy, needs, ownedBy, owns } from 'fastify-crud'
import { beforeEach, expect, test } from 'vitest'
import type { AppOptions } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { caller, headersOf } from '../policies/support/as-caller.ts'
import { useBooks } from './support/use-books.ts'
import { useFilledApp } from './support/use-filled-app.ts'

const text = Type.String()
const staff = defineResources({
  person: {
    fields: { name: text, note: Type.Optional(Type.String({ access: { View: ['hr'], Edit: ['hr'] } })) },
    relations: { desks: neededBy.many('desk'), badges: owns.many('badge') },
    computed: {
      greeting: { schema: Type.Optional(text), value: ({ eb }) => eb.ref('note'), access: { View: ['hr'] } },
      deskCount: countOf('desks'),
    },
    search: { fields: ['name', 'note', 'greeting'] },
  },
  desk: {
    fields: { place: text },
    relations: { person: needs.one('person') },
    search: { fields: ['person.note', 'person.greeting'] },
  },
  badge: {
    topLevel: true,
    fields: { code: text },
    relations: { person: ownedBy('person') },
    search: { fields: ['code', 'person.name'] },
  },
})

describeOnBoth('a field that a caller may not see', (database) => {
  const service = useFilledApp(database, staff, { plugin: { caller } }, async (db) => {
    for (const [name, note] of [
      ['Ada', 'zebra'],
      ['Zeb', 'late'],
      ['Bo', null],
    ] as const) {
      const person = await db.insertInto('person').values({ name, note }).returning('id').executeTakeFirstOrThrow()
      await db
        .insertInto('desk')
        .values({ place: 'hall', personId: Number(person.id) })
        .execute()
      await db
        .insertInto('badge')
        .values({ code: `of ${name}`, personId: Number(person.id) })
        .execute()
    }
  })
  const found = async (path: string, ...roles: string[]): Promise<unknown[]> => {
    const { status, body } = await service.request('GET', path, undefined, headersOf({ roles }))
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.count).toBe(body.rows.length)
    return body.rows.map(({ name, personId }: JsonBody) => name ?? personId)
  }

  test('is no part of a search, and is one for those who see it', async () => {
    expect(await found('/api/person?search=zeb')).toEqual(['Zeb'])
    expect(await found('/api/person?search=zeb', 'clerk')).toEqual(['Zeb'])
    expect(await found('/api/person?search=zeb', 'hr')).toEqual(['Ada', 'Zeb'])
    expect(await found('/api/person?search=late+zeb')).toEqual([])
    expect(await found('/api/person?search=late+zeb', 'hr')).toEqual(['Zeb'])
  })

  test('finds nothing where all fields of the search are so', async () => {
    expect(await found('/api/desk?search=e')).toEqual([])
    expect(await found('/api/desk?search=e&filter[place]=hall')).toEqual([])
    expect(await found('/api/desk?search=e', 'hr')).toHaveLength(2)
  })
})

describeOnBoth('a search across owners', (database) => {
  const service = useFilledApp(database, staff, { plugin: { caller } }, async (db) => {
    for (const name of ['Ada', 'Bo']) {
      const person = await db.insertInto('person').values({ name }).returning('id').executeTakeFirstOrThrow()
      for (const code of ['red one', 'blue'])
        await db
          .insertInto('badge')
          .values({ code, personId: Number(person.id) })
          .execute()
    }
  })

  test('finds what is owned in the list at the top, and below its owner', async () => {
    expect((await service.read('/api/badge?search=one')).rows).toMatchObject([{ id: 1 }, { id: 3 }])
    expect((await service.read('/api/badge?search=ada+red')).rows).toMatchObject([{ id: 1 }])
    expect((await service.read('/api/person/2/badge?search=e')).count).toBe(2)
    expect((await service.read('/api/person/2/badge?search=ada')).count).toBe(0)
  })
})

describeOnBoth('a resource that `authorize` does not let a request see', (database) => {
  const hidden = new Set<string>()
  const asked: string[] = []
  const authorize = (_: unknown, { resource }: AccessQuestion) => {
    asked.push(resource)
    return !hidden.has(resource)
  }
  const books = useBooks(database, { plugin: { authorize } as AppOptions['plugin'] & object })
  beforeEach(() => {
    hidden.clear()
    asked.length = 0
  })

  test('is no part of a search', async () => {
    expect(await books.titles('search=cy')).toEqual(['Gorse'])
    hidden.add('author')
    expect(await books.titles('search=cy')).toEqual([])
    expect(await books.titles('search=red+e&limit=1')).toEqual(['Amber'])
    hidden.add('tag')
    expect(await books.titles('search=red')).toEqual([])
    expect(await books.titles('search=amber')).toEqual(['Amber', 'Birch'])
  })

  test('is none also in the middle of a path, and finds nothing if all paths lead through it', async () => {
    expect((await books.service.read('/api/quote?search=amber')).count).toBe(1)
    for (const one of ['chapter', 'book', 'publisher']) {
      hidden.clear()
      hidden.add(one)
      expect((await books.service.read('/api/quote?search=amber')).count, one).toBe(0)
    }
  })

  test('is asked about for a search, whatever its words are', async () => {
    const askedBy = async (query: string) => {
      asked.length = 0
      await books.service.get(`/api/quote?fields=text${query}`)
      return new Set(asked)
    }
    expect(await askedBy('')).not.toContain('publisher')
    expect(await askedBy('&search=a')).toContain('publisher')
  })
})
