import { beforeEach, expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import type { JsonBody } from '../../../../test/support/json-body.ts'
import { useOffices } from './support/use-offices.ts'

const unknown = 'CRUD_ERR_UNKNOWN_REFERENCE'

describeOnBoth('a PUT of an array that holds rows outside of View', (database) => {
  const { rows, ada } = useOffices(database)
  let path: string
  beforeEach(() => {
    path = `/api/invoice/${rows.invoice.ours.id}`
  })

  /** The invoice as it is stored. */
  const stored = (): Promise<JsonBody> => rows.all.invoice.find(rows.invoice.ours.id)

  test('leaves hidden children there, whatever it lists', async () => {
    const { ours, shown } = rows.invoice
    const hidden = ours.notes[1]
    const { status, body } = await ada.put(path, { ...shown, notes: [{ text: 'new', authorId: 1 }] })
    expect(status).toBe(200)
    expect(body.notes).toEqual([{ id: expect.any(Number), text: 'new', authorId: 1, replies: [] }])
    expect((await stored()).notes).toEqual([hidden, ...body.notes])
    for (const some of [{ notes: [] }, {}]) {
      const { notes: _, ...others } = shown
      expect((await ada.put(path, { ...others, ...some })).body.notes).toEqual([])
      expect((await stored()).notes).toEqual([hidden])
    }
  })

  test('leaves hidden links there, whatever it lists', async () => {
    const { tag, invoice } = rows
    const other = await rows.all.tag.create({ name: 'our other tag', orgId: 1 })
    expect((await ada.put(path, { ...invoice.shown, tags: [{ id: other.id }] })).body.tags).toEqual([other])
    expect((await stored()).tags).toEqual([tag.hidden, other])
    for (const some of [{ tags: [] }, {}]) {
      const { tags: _, ...others } = invoice.shown
      expect((await ada.put(path, { ...others, ...some })).body.tags).toEqual([])
      expect((await stored()).tags).toEqual([tag.hidden])
    }
  })

  test('leaves hidden links of a need there', async () => {
    const { customer } = rows
    const other = await rows.all.customer.create({ name: 'our other', orgId: 1 })
    const bundle = await rows.all.bundle.create({
      name: 'b',
      orgId: 1,
      customers: [{ id: customer.ours.id }, { id: customer.hidden.id }],
    })
    const at = `/api/bundle/${bundle.id}`
    const { status, body } = await ada.put(at, { name: 'b', orgId: 1, customers: [{ id: other.id }] })
    expect([status, body.customers]).toEqual([200, [other]])
    expect((await rows.all.bundle.find(bundle.id)).customers).toEqual([customer.hidden, other])
  })

  test('leaves children of a hidden child there', async () => {
    const { shown } = rows.invoice
    const [note] = shown.notes
    const answer = await ada.put(path, { ...shown, notes: [{ ...note, replies: [] }] })
    expect(answer.body.notes).toEqual([{ ...note, replies: [] }])
    expect((await stored()).notes).toEqual([{ ...note, replies: [] }, rows.invoice.ours.notes[1]])
  })

  test('changes nothing if it is the body that GET returned', async () => {
    const before = await stored()
    expect((await ada.put(path, await ada.read(path))).status).toBe(200)
    expect(await stored()).toEqual(before)
  })

  test('does not show them in its answer to a PATCH, either', async () => {
    const { body } = await ada.patch(path, { notes: [{ text: 'new', authorId: 1 }], tags: [{ id: rows.tag.ours.id }] })
    expect(body.notes.map(({ text }: JsonBody) => text)).toEqual(['mine', 'new'])
    expect(body.tags).toEqual([rows.tag.ours])
    expect((await stored()).notes).toHaveLength(3)
  })
})

describeOnBoth('an `owns.one` child outside of View', (database) => {
  const { rows, ada } = useOffices(database)
  const taken = { code: 'CRUD_ERR_EXISTS' } as const
  let path: string
  beforeEach(() => {
    path = `/api/invoice/${rows.invoice.ours.id}`
  })

  test('stays if the body omits it, or has null', async () => {
    const { seal: _, ...others } = rows.invoice.shown
    for (const body of [others, { ...others, seal: null }]) {
      expect((await ada.put(path, body)).body.seal).toBeNull()
      expect((await ada.patch(path, body)).body.seal).toBeNull()
    }
    expect(await rows.all.invoice.find(rows.invoice.ours.id)).toEqual(rows.invoice.ours)
  })

  test('is in the way of another one: 409', async () => {
    const seal = { text: 'x', signerId: 1 }
    await ada.refuse('PUT', path, { ...rows.invoice.shown, seal }, { ...taken, pointers: ['/seal'] })
    await ada.refuse('PATCH', path, { seal }, { ...taken, pointers: ['/seal'] })
    await ada.refuse('POST', `${path}/seal`, seal, taken)
  })

  test('cannot be named: its id is an unknown reference', async () => {
    const refused = { code: unknown, pointers: ['/seal/id'] } as const
    const { seal } = rows.invoice.ours
    await ada.refuse('PATCH', path, { seal: { id: seal?.id, text: 'x' } }, refused)
  })
})
