import { createClient } from '@fastify-crud/client'
import { createRecords } from '@fastify-crud/client/internal'
import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { shop } from './shop.ts'
import { useService } from './use-service.ts'

/** What somebody does to one element of an array in a form. */
type Edit =
  | { readonly kind: 'keep' | 'drop' }
  | { readonly kind: 'rename' | 'insert'; readonly title: string }
  | { readonly kind: 'move'; readonly to: number }

const edits: fc.Arbitrary<Edit[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('keep' as const, 'drop' as const) }),
    fc.record({ kind: fc.constantFrom('rename' as const, 'insert' as const), title: fc.string({ minLength: 1 }) }),
    fc.record({ kind: fc.constant('move' as const), to: fc.nat(6) }),
  ),
  { maxLength: 6 },
)

interface Element {
  readonly id?: number
  readonly title: string
}

function edited(elements: readonly Element[], all: readonly Edit[]): Element[] {
  const now = [...elements]
  all.forEach((edit, index) => {
    const at = Math.min(index, now.length)
    const one = now[at]
    if (edit.kind === 'insert') now.splice(at, 0, { title: edit.title })
    else if (one === undefined) return
    else if (edit.kind === 'rename') now[at] = { ...one, title: edit.title }
    else if (edit.kind === 'drop') now.splice(at, 1)
    else if (edit.kind === 'move') now.splice(Math.min(edit.to, now.length - 1), 0, ...now.splice(at, 1))
  })
  return now
}

describeOnBoth('a form', (database) => {
  const service = useService(database, shop)
  const connect = () => createClient<typeof shop>({ url: service.url })
  let api: ReturnType<typeof connect>
  let records: ReturnType<typeof createRecords>

  beforeEach(() => {
    api = connect()
    records = createRecords(api, (error) => error)
  })

  const tags = ['a', 'b', 'c', 'd', 'e']
  const chosen = fc.shuffledSubarray(tags)
  const seed = Number(process.env.TEST_SEED ?? 20_261_130)

  test(`makes of a record what it has, and loses nothing that it did not take out (seed ${seed})`, async () => {
    const publisherId = (await api.publisher.create({ name: 'Ink' })).id
    const author = { id: (await api.author.create({ name: 'Ann' })).id }
    await api.tag.createMany(tags.map((id) => ({ id, name: id })))
    const property = fc.asyncProperty(fc.nat(5), chosen, edits, chosen, async (count, first, all, last) => {
      const chapters = Array.from({ length: count }, (_, index) => ({ title: `${index}`, notes: [{ text: 'n' }] }))
      const body = { title: 'b', publisherId, authors: [author], chapters, tags: first.map((id) => ({ id })) }
      const { id } = await api.book.create(body)
      const base = await records.one('book', id)
      const form = { ...base, chapters: edited(base.chapters as Element[], all), tagsIds: last }
      const written = await records.update('book', id, form, base)
      const shown = (elements: unknown) =>
        (elements as Element[]).map(({ title, ...one }) => ({ ...('id' in one && { id: one.id }), title }))
      const expected = shown(form.chapters).map((one) => ({ id: expect.any(Number), ...one }))
      expect(shown(written.chapters)).toEqual(expected)
      expect(written.tagsIds).toEqual(last)
      const kept = (written.chapters as { id: number; notes: unknown[] }[]).filter((one) =>
        (base.chapters as Element[]).some((old) => old.id === one.id),
      )
      for (const { notes } of kept) expect(notes).toHaveLength(1)
    })
    await fc.assert(property, { seed, numRuns: 60 })
  })

  test('sends nothing for what is as it was, in whatever order a set is chosen', async () => {
    const publisherId = (await api.publisher.create({ name: 'Ink' })).id
    const names = await api.author.createMany([{ name: 'Ann' }, { name: 'Bea' }])
    const authors = names.rows.map(({ id }) => ({ id }))
    const { id } = await api.book.create({ title: 'b', publisherId, authors, chapters: [{ title: 'One' }] })
    const base = await records.one('book', id)
    const form = { ...base, authorsIds: (base.authorsIds as string[]).toReversed() }
    expect(await records.update('book', id, form, base)).toEqual(base)
  })
})
