import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import {
  createStore,
  createTables,
  crudPlugin,
  defineResources,
  field,
  knows,
  needs,
  ownedBy,
  owns,
} from 'fastify-crud'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnBoth } from '../../../test/support/describe-on-databases.ts'
import { bodyOf, countChanges, placeProblems } from '../page/draft/body.ts'
import {
  addLink,
  changeDraft,
  copyOf,
  type Draft,
  draftOf,
  moveLink,
  moveOwned,
  newDraft,
  removeLink,
  setOwned,
  setValue,
} from '../page/draft/draft.ts'
import { differencesOf, lostIn, mergeDrafts } from '../page/draft/merge.ts'
import type { ModelDocument, Row } from '../page/model/model.ts'

const resources = defineResources({
  recipe: {
    fields: {
      title: Type.String(),
      serves: field(Type.Integer({ minimum: 1 }), { default: 2 }),
      note: Type.Optional(Type.String()),
    },
    relations: {
      steps: owns.many('step', { order: 'position' }),
      picture: owns.one('picture'),
      tags: knows.many('tag', { order: 'position' }),
      cook: needs.one('cook'),
    },
  },
  step: {
    fields: { text: Type.String({ minLength: 1 }) },
    relations: { recipe: ownedBy('recipe'), hints: owns.many('hint') },
  },
  hint: { fields: { text: Type.String({ minLength: 1 }) }, relations: { step: ownedBy('step') } },
  picture: { fields: { url: Type.String() }, relations: { recipe: ownedBy('recipe') } },
  tag: { fields: { name: Type.String() } },
  cook: { fields: { name: Type.String() } },
})

describeOnBoth('a record that is edited', (database) => {
  let close: () => Promise<void>
  let model: ModelDocument
  let stored: Draft
  let send: (
    method: 'GET' | 'POST' | 'PATCH',
    body?: unknown,
    to?: string,
  ) => Promise<{ status: number; body: Row & { errors?: [] } }>
  beforeAll(async () => {
    const { db, close: closeDatabase } = await database.open()
    await createTables(db, resources)
    const app = Fastify()
    await app.register(crudPlugin, { db, resources, authorize: () => true })
    close = async () => {
      await app.close()
      await closeDatabase()
    }
    send = async (method, body, to = method === 'POST' ? '/recipe' : '/recipe/1') => {
      const url = `/api${to}`
      const answer = await app.inject({ method, url, ...(body !== undefined && { payload: body as object }) })
      return { status: answer.statusCode, body: answer.json() }
    }
    model = (await app.inject('/api/$model')).json()
    const store = createStore({ db, resources })
    await store.cook.create({ name: 'Ada' })
    for (const name of ['warm', 'quick']) await store.tag.create({ name })
    const steps = ['boil', 'pour', 'wait', 'drink'].map((text) => ({ text, hints: [{ text: `${text}!` }] }))
    await send('POST', { title: 'Tea', cookId: 1, steps, tags: [{ id: 1 }] })
    stored = draftOf(model, 'recipe', (await send('GET')).body)
  })
  afterAll(() => close())

  /** Saves it, and reads it again. */
  async function save(draft: Draft): Promise<Row> {
    const { status, body } = await send('PATCH', bodyOf(model, draft).body)
    expect([status, body]).toMatchObject([200, {}])
    stored = draftOf(model, 'recipe', body)
    return body
  }
  const stepsOf = (draft: Draft): readonly Draft[] => draft.owned.steps ?? []
  const textsIn = (row: Row): unknown[] => (row.steps as Row[]).map(({ text }) => text)

  test('sends nothing if nothing is changed, and a value that is set back is not', () => {
    expect(bodyOf(model, stored).body).toBeUndefined()
    expect(bodyOf(model, setValue(setValue(stored, 'title', 'Coffee'), 'title', 'Tea')).body).toBeUndefined()
  })

  test('sends only what changed, at any depth, and counts it', async () => {
    const hint = stepsOf(stored)[1]?.owned.hints?.[0] as Draft
    const edited = setValue(
      changeDraft(stored, hint.key, (one) => setValue(one, 'text', 'slowly')),
      'serves',
      3,
    )
    expect(bodyOf(model, edited).body).toEqual({ serves: 3, steps: [{ id: 2, hints: [{ id: 2, text: 'slowly' }] }] })
    expect(countChanges(model, edited)).toBe(2)
    await save(edited)
  })

  test('adds, changes and takes away in one body, links as well', async () => {
    const [first] = stepsOf(stored)
    const removed = changeDraft(stored, (first as Draft).key, (one) => ({ ...one, removed: true }))
    const added = setOwned(removed, 'steps', [...stepsOf(removed), newDraft(model, 'step', { text: 'smile' })])
    const linked = addLink(removeLink(added, 'tags', 1), 'tags', { id: 2, name: 'quick' })
    expect(bodyOf(model, linked).body).toEqual({
      steps: [{ id: 1, $remove: true }, { text: 'smile' }],
      tags: [{ id: 1, $remove: true }, { id: 2 }],
    })
    const row = await save(linked)
    expect(textsIn(row)).toEqual(['pour', 'wait', 'drink', 'smile'])
    expect(row.tags).toEqual([{ id: 2, name: 'quick' }])
  })

  test('is in any order that somebody gives it, with new elements at any place', async () => {
    let seed = 7
    const draw = (most: number) => {
      seed = (seed * 16_807) % 2_147_483_647
      return seed % most
    }
    for (let round = 0; round < 25; round += 1) {
      let draft = stored
      for (let move = 0; move < 1 + draw(4); move += 1) {
        if (draw(4) === 0)
          draft = setOwned(draft, 'steps', [
            ...stepsOf(draft),
            newDraft(model, 'step', { text: `new ${round} ${move}` }),
          ])
        draft = moveOwned(draft, 'steps', draw(stepsOf(draft).length), draw(stepsOf(draft).length))
      }
      if (draw(3) === 0)
        draft = changeDraft(draft, (stepsOf(draft)[0] as Draft).key, (one) => ({
          ...one,
          removed: one.base !== undefined,
        }))
      const expected = stepsOf(draft)
        .filter(({ removed }) => !removed)
        .map(({ values }) => values.text)
      if (bodyOf(model, draft).body === undefined) continue
      expect(textsIn(await save(draft))).toEqual(expected)
    }
  })

  test('has its links in any order that somebody gives them', async () => {
    for (const id of [3, 4, 5]) expect((await send('POST', { name: `tag ${id}` }, '/tag')).status).toBe(201)
    const idsIn = (value: unknown) => (value as Row[]).map(({ id }) => id)
    let draft = stored
    for (const id of [3, 4, 5]) draft = addLink(draft, 'tags', { id })
    expect(bodyOf(model, draft).body).toEqual({ tags: [{ id: 3 }, { id: 4 }, { id: 5 }] })
    expect(idsIn((await save(draft)).tags)).toEqual([2, 3, 4, 5])
    const last = moveLink(stored, 'tags', 0, 3)
    expect(bodyOf(model, last).body).toEqual({ tags: [{ id: 2, $before: null }] })
    expect(idsIn((await save(last)).tags)).toEqual([3, 4, 5, 2])
    const other = removeLink(moveLink(moveLink(stored, 'tags', 3, 0), 'tags', 3, 1), 'tags', 3)
    expect(idsIn((await save(other)).tags)).toEqual([2, 5, 4])
    expect(idsIn((await save(removeLink(removeLink(stored, 'tags', 5), 'tags', 4))).tags)).toEqual([2])
  })

  test('brings each problem to the draft and the name that it is about', async () => {
    const [first] = stepsOf(stored)
    const wrong = changeDraft(stored, (first as Draft).key, (one) =>
      setOwned(setValue(one, 'text', ''), 'hints', [newDraft(model, 'hint', {})]),
    )
    const { body, places } = bodyOf(model, setValue(wrong, 'serves', 'many'))
    const answer = await send('PATCH', body)
    const { placed, others } = placeProblems(answer.body.errors ?? [], places)
    expect(others).toEqual([])
    const hint = stepsOf(wrong)[0]?.owned.hints?.[0] as Draft
    expect([...(placed.get(stored.key) ?? [])].map(([name]) => name)).toEqual(['serves'])
    expect([...(placed.get((first as Draft).key) ?? [])].map(([name]) => name)).toEqual(['text'])
    expect([...(placed.get(hint.key) ?? [])]).toEqual([['text', ['is required']]])
  })

  test('is copied with all that it owns and knows', async () => {
    const { body } = bodyOf(model, setValue(copyOf(model, stored), 'title', 'Tea again'))
    expect(body).toMatchObject({ title: 'Tea again', cookId: 1, tags: [{ id: 2 }] })
    expect(JSON.stringify(body)).not.toMatch(/"hints":\[\{"id"|\$remove|\$before/)
    expect((await send('POST', body)).status).toBe(201)
  })

  test('is merged with what somebody else has saved', () => {
    const other = draftOf(model, 'recipe', {
      ...stored.base,
      title: 'Green tea',
      serves: 4,
      steps: ((stored.base as Row).steps as Row[]).slice(1),
    })
    const [first, second] = stepsOf(stored)
    let mine = setValue(stored, 'title', 'Black tea')
    mine = changeDraft(mine, (second as Draft).key, (one) => setValue(one, 'text', 'mine'))
    mine = changeDraft(mine, (first as Draft).key, (one) => setValue(one, 'text', 'lost'))
    mine = setOwned(mine, 'steps', [...stepsOf(mine), newDraft(model, 'step', { text: 'added' })])
    expect(differencesOf(mine, other).map(({ path, mine: own, theirs }) => [path, own, theirs])).toEqual([
      ['title', 'Black tea', 'Green tea'],
      ['serves', 3, 4],
      [`steps ${String(second?.id)} / text`, 'mine', second?.base?.text],
    ])
    expect(lostIn(mine, other)).toMatchObject([{ id: first?.id }])
    const merged = mergeDrafts(mine, other, new Map([['title', 'theirs']]))
    expect(bodyOf(model, merged).body).toEqual({ steps: [{ id: second?.id, text: 'mine' }, { text: 'added' }] })
  })
})
