import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import { defineResources, knows, needs, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { type TestApp, useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { seed } from '../../../../test/support/seed.ts'

const text = Type.String()

// The ids are the client's, so that two services give the same ones whatever was refused before.
const resources = defineResources({
  author: { id: 'text', fields: { name: text }, unique: [['name']] },
  book: {
    id: 'text',
    fields: { title: text, copies: Type.Integer({ minimum: 0, default: 1 }) },
    relations: { author: needs.one('author'), tags: knows.many('tag'), chapters: owns.many('chapter') },
  },
  chapter: { id: 'text', topLevel: true, fields: { title: text }, relations: { book: ownedBy('book') } },
  tag: { id: 'text', fields: { name: text }, relations: { about: knows.one('book') } },
})

const KEYS = ['author', 'book', 'chapter', 'tag'] as const
type Key = (typeof KEYS)[number]

/** An id in a request, which may be spelled as that of a record that the batch itself creates. */
class Named {
  readonly key: Key
  readonly id: string

  constructor(key: Key, id: string) {
    this.key = key
    this.id = id
  }

  get name(): string {
    return `${this.key}-${this.id}`
  }
}

interface RandomRequest {
  readonly method: string
  readonly path: readonly (string | Named)[]
  readonly body?: unknown
  readonly creates?: Named
}

/** A request as JSON. `created`: the names of the records that earlier ones have created. */
function spelled({ method, path, body, creates }: RandomRequest, created: ReadonlySet<string>): JsonBody {
  const isNew = ({ name }: Named) => created.has(name)
  const spell = (value: unknown): unknown => {
    if (value instanceof Named) return isNew(value) ? { $new: value.name } : value.id
    if (Array.isArray(value)) return value.map(spell)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, spell(one)]))
  }
  const parts = path.map((part) => (typeof part === 'string' ? part : isNew(part) ? `$new.${part.name}` : part.id))
  return {
    method,
    path: parts.join(''),
    ...(body !== undefined && { body: spell(body) }),
    ...(creates && !created.has(creates.name) && { as: creates.name }),
  }
}

const id = fc.constantFrom('a', 'b', 'c')
const named = (key: Key) => id.map((one) => new Named(key, one))
const word = fc.constantFrom('ink', 'nib', 'pen', 'quill')
const title = fc.record({ title: word })
const bookBody = fc.record(
  {
    title: word,
    copies: fc.constantFrom(-1, 0, 3),
    authorId: named('author'),
    tags: fc.array(fc.record({ id: named('tag') }), { maxLength: 2 }),
    chapters: fc.array(fc.record({ id: fc.constantFrom('x', 'y', 'z'), title: word }), { maxLength: 2 }),
  },
  { requiredKeys: ['title', 'authorId'] },
)
const bodyOf: Readonly<Record<Key, fc.Arbitrary<object>>> = {
  author: fc.record({ name: word }),
  book: bookBody,
  chapter: fc.record({ title: word, bookId: named('book') }),
  tag: fc.record({ name: word, aboutId: fc.option(named('book')) }),
}

const request: fc.Arbitrary<RandomRequest> = fc.oneof(
  ...KEYS.flatMap((key): fc.Arbitrary<RandomRequest>[] => [
    fc.tuple(named(key), bodyOf[key]).map(([creates, body]) => {
      return { method: 'POST', path: [`/${key}`], body: { id: creates.id, ...body }, creates }
    }),
    fc.tuple(named(key), bodyOf[key]).map(([one, body]) => ({ method: 'PATCH', path: [`/${key}/`, one], body })),
    fc.tuple(named(key), bodyOf[key]).map(([one, body]) => ({ method: 'PUT', path: [`/${key}/`, one], body })),
    named(key).map((one) => ({ method: 'DELETE', path: [`/${key}/`, one] })),
    named(key).map((one) => ({ method: 'GET', path: [`/${key}/`, one] })),
    fc.constant({ method: 'GET', path: [`/${key}?sort=id`] }),
  ]),
  fc
    .tuple(named('book'), named('tag'))
    .map(([book, tag]) => ({ method: 'PUT', path: ['/book/', book, '/tags/', tag] })),
  fc
    .tuple(named('book'), named('tag'))
    .map(([book, tag]) => ({ method: 'DELETE', path: ['/book/', book, '/tags/', tag] })),
  fc.tuple(named('book'), named('chapter'), title).map(([book, creates, body]) => {
    return { method: 'POST', path: ['/book/', book, '/chapter'], body: { id: creates.id, ...body }, creates }
  }),
  fc.array(fc.tuple(named('tag'), word), { maxLength: 3 }).map((all) => {
    return { method: 'PATCH', path: ['/tag'], body: all.map(([one, name]) => ({ id: one, name })) }
  }),
)

const rowsOf = async ({ db }: TestApp) =>
  Promise.all(
    ['author', 'book', 'chapter', 'tag', 'book_tags'].map((table) => db.selectFrom(table).selectAll().execute()),
  )

const sorted = (tables: readonly (readonly object[])[]) =>
  tables.map((rows) => rows.map((row) => JSON.stringify(row)).sort())

describeOnBoth('a batch of random requests', (database) => {
  const alone = useApp(database, resources)
  const together = useApp(database, resources, { plugin: { batch: true } })

  test(`does what they do one after the other, or nothing where one is refused (seed ${seed})`, async () => {
    let done = 0
    let refused = 0
    const check = async (requests: readonly RandomRequest[]) => {
      const created = new Set<string>()
      const batch: JsonBody[] = []
      const answers: JsonBody[] = []
      for (const one of requests) {
        const { method, path, body } = spelled(one, new Set())
        const { status, headers, body: answer } = await alone.request(method, `/api${path}`, body)
        if (status >= 400) {
          refused += 1
          const before = sorted(await rowsOf(together))
          const whole = await together.post('/api/$batch', { requests: [...batch, spelled(one, created)] })
          expect([whole.status, whole.body.code]).toEqual([status, answer.code])
          expect(sorted(await rowsOf(together))).toEqual(before)
          continue
        }
        batch.push(spelled(one, created))
        if (one.creates !== undefined) created.add(one.creates.name)
        const { location, etag } = headers
        answers.push({ status, ...(location && { location }), ...(etag && { etag }), ...(answer && { body: answer }) })
      }
      const { status, body } = await together.post('/api/$batch', { requests: batch })
      expect(status, JSON.stringify([batch, body])).toBe(200)
      expect(body.answers).toEqual(answers)
      expect(sorted(await rowsOf(together))).toEqual(sorted(await rowsOf(alone)))
      done += batch.length
    }
    await fc.assert(fc.asyncProperty(fc.array(request, { minLength: 3, maxLength: 25 }), check), {
      seed,
      numRuns: 30,
      endOnFailure: true,
    })
    expect(Math.min(done, refused)).toBeGreaterThan(20)
  }, 120_000)
})
