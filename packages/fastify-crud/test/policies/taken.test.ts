import { expect, test } from 'vitest'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'
import { headersOf } from './support/as-caller.ts'
import { useOffices } from './support/use-offices.ts'

const notUnique = { code: 'CRUD_ERR_NOT_UNIQUE', pointers: ['/code'] } as const
const exists = { code: 'CRUD_ERR_EXISTS' } as const

describeOnBoth('a value or an id that is taken', (database) => {
  const { service, rows, ada } = useOffices(database)

  test('is refused with the same text, no matter who holds the value', async () => {
    const other = await rows.all.customer.create({ name: 'our other', orgId: 1 })
    for (const [method, path, body] of [
      ['POST', '/api/customer', { name: 'x', orgId: 1 }],
      ['PUT', `/api/customer/${other.id}`, { name: 'x', orgId: 1 }],
      ['PATCH', `/api/customer/${other.id}`, {}],
    ] as const) {
      const text = async (code: string) => {
        const problem = await ada.refuse(method, path, { ...body, code }, notUnique)
        return JSON.stringify(problem).replaceAll(new RegExp(`\\b${code}\\b`, 'g'), '<code>')
      }
      expect(await text('Z')).toBe(await text('A'))
    }
  })

  test('is refused with the same text, though a hidden child of the same owner holds the value', async () => {
    const { ours } = rows.invoice
    const own = (await ada.patch(`/api/invoice/${ours.id}`, { notes: [{ text: 'own', authorId: 1 }] })).body.notes[1]
    for (const [method, path, bodyOf] of [
      ['POST', `/api/invoice/${ours.id}/note`, (text: string) => ({ text, authorId: 1 })],
      ['PATCH', `/api/invoice/${ours.id}/note/${own.id}`, (text: string) => ({ text })],
      ['PATCH', `/api/invoice/${ours.id}`, (text: string) => ({ notes: [{ text, authorId: 1 }] })],
    ] as const) {
      const [ofOurs, ofHidden] = ours.notes
      const taken = { code: 'CRUD_ERR_NOT_UNIQUE' } as const
      const seen = await ada.refuse(method, path, bodyOf(ofOurs?.text ?? ''), taken)
      expect(await ada.refuse(method, path, bodyOf(ofHidden?.text ?? ''), taken)).toEqual(seen)
    }
  })

  test('is refused with the same text, no matter who has the id', async () => {
    const body = { name: 'x', orgId: 1 }
    const { ours, hidden } = rows.customer
    const text = async (id: number) => {
      const problem = await ada.refuse('POST', `/api/customer/${id}`, body, exists)
      return JSON.stringify(problem).replaceAll(new RegExp(`\\b${id}\\b`, 'g'), '<id>')
    }
    expect(await text(hidden.id)).toBe(await text(ours.id))
  })

  test('stays taken for its holder’s own organisation, too', async () => {
    const eve = headersOf({ user: 3, org: 2 })
    const answer = await service.request('POST', '/api/customer', { name: 'x', orgId: 2, code: 'A' }, eve)
    expect(answer).toMatchObject({ status: 409, body: { code: 'CRUD_ERR_NOT_UNIQUE' } })
  })
})
