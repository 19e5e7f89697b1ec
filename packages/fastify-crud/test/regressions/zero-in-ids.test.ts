import { Type } from '@sinclair/typebox'
import { createStore, defineResources, ownedBy, owns } from 'fastify-crud'
import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeOnBoth } from '../../../../test/support/describe-on-databases.ts'

const model = defineResources({
  piece: {
    id: 'text',
    fields: { name: Type.String() },
    relations: { notes: owns.many('note'), seal: owns.one('seal') },
  },
  seal: {
    id: ['number', 'piece'],
    fields: { number: Type.Integer(), text: Type.String() },
    relations: { piece: ownedBy('piece') },
  },
  note: {
    id: ['number', 'piece'],
    fields: { number: Type.Integer(), text: Type.String() },
    relations: { piece: ownedBy('piece') },
  },
})

describeOnBoth('an id below its owner', (database) => {
  const service = useApp(database, model)

  test.each([0, 1, -1])('may be %d', async (number) => {
    await service.add('/api/piece', { id: 'a', name: 'A', notes: [] })
    const note = await service.add('/api/piece/a/note', { number, text: 'New' })
    expect(note).toEqual({ id: number, number, text: 'New' })
    expect(await service.read(`/api/piece/a/note/${number}`)).toEqual(note)
    const nested = [{ number, text: 'New' }]
    expect(await service.add('/api/piece', { id: 'b', name: 'B', notes: nested })).toMatchObject({ notes: nested })
  })

  test.each([0, 1, -1])('may be %d in the body of its owner, and in a store', async (number) => {
    await service.add('/api/piece', { id: 'a', name: 'A', notes: [], seal: { number, text: 'Red' } })
    const seal = { id: number, number, text: 'Blue' }
    const { body } = await service.patch('/api/piece/a', { seal: { id: number, text: 'Blue' } })
    expect(body).toMatchObject({ seal })
    const store = createStore({ db: service.db, resources: model })
    const notes = store.piece.owned('a', 'notes')
    expect(await notes.create({ number, text: 'New' }, { id: number })).toMatchObject({ id: number })
  })
})
