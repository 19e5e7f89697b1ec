import { Type } from '@sinclair/typebox'
import { createStore, defineResources, ownedBy, owns } from 'fastify-crud'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { setups } from '../../../../test/support/databases.ts'

const resources = defineResources({
  folder: {
    fields: { number: Type.Optional(Type.String()), info: Type.Optional(Type.Any()) },
    relations: { notes: owns.many('note') },
    computed: {
      extra: { schema: Type.Any(), value: ({ eb }) => eb.ref('info') },
      size: { schema: Type.Optional(Type.Integer()), value: ({ eb }) => eb.ref('number').$castTo<number>() },
    },
  },
  note: { fields: { text: Type.String(), data: Type.Optional(Type.Any()) }, relations: { folder: ownedBy('folder') } },
})

interface Seen {
  readonly before: unknown
  readonly after: unknown
}

const seen: Seen[] = []
const keep = ({ before, after }: Seen) => void seen.push(structuredClone({ before, after }))
const rules = { note: { validate: keep }, folder: { invariant: { reads: ['info', 'notes.data'], test: keep } } }

// A column of SQLite takes any text.
describe.each(setups.filter(({ name }) => name === 'sqlite'))('a value that cannot be shown ($title)', (database) => {
  const service = useApp(database, resources, { plugin: { rules: rules as object } })
  beforeEach(() => void seen.splice(0))

  test('rules see rows without it, and the write goes on', async () => {
    const { id, notes } = await service.add('/api/folder', { info: 1, notes: [{ text: 'a', data: [1] }] })
    await sql`update note set data = 'nope'`.execute(service.db)
    await sql`update folder set info = 'nope'`.execute(service.db)
    seen.splice(0)
    const answer = await service.patch(`/api/folder/${id}/note/${notes[0].id}`, { text: 'b' })
    expect(answer).toMatchObject({ status: 200, body: { text: 'b', partial: true } })
    expect(seen).toHaveLength(2)
    expect(JSON.stringify(seen)).not.toMatch(/nope/)
  })

  test('what is computed from it is left out, too, and an integer that is a text cannot become anything else', async () => {
    const { id } = await service.add('/api/folder', { info: { a: [1] } })
    await sql`update folder set number = '1,"owner":"me"'`.execute(service.db)
    const shown = await createStore({ db: service.db, resources }).folder.find(id)
    expect(shown).toMatchObject({ extra: { a: [1] }, size: '1,"owner":"me"' })
    expect(shown).not.toHaveProperty('owner')
    await sql`update folder set info = '1,"owner":"me"'`.execute(service.db)
    expect(await service.read(`/api/folder/${id}?fields=extra`)).toEqual({ id, partial: true })
  })
})
