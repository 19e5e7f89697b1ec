import { expect, test } from 'vitest'
import { useApp } from '../../../../test/support/app.ts'
import { describeServersOnDatabases } from '../../../../test/support/describe-on-databases.ts'
import { museum } from '../contract/models/museum.ts'
import { bodiesOf, useExhibits } from './exhibits.ts'
import { refuseAll } from './refuse-all.ts'

/** A value of each JSON type, and those that are taken for another one elsewhere. */
const values = {
  null: null,
  true: true,
  false: false,
  zero: 0,
  number: 1.5,
  integer: 3,
  empty: '',
  digits: '1',
  'the word null': 'null',
  'the word true': 'true',
  'JSON in text': '{"id":1}',
  'a list in text': '[]',
  'a decimal in text': '1.50',
  'an empty list': [],
  'a list of one number': [1],
  'a list of one text': ['1'],
  'a list of null': [null],
  'a list in a list': [[]],
  'a list of an empty object': [{}],
  'an empty object': {},
  'an object like a number': { valueOf: 1 },
  'an object like a list': { 0: 1, length: 1 },
  'an object with an id': { id: 1 },
  'an operator': { $gt: '' },
} as const
type Value = keyof typeof values

/** For each field of an item, the values that are right. */
const fits: Readonly<Record<string, readonly Value[]>> = {
  title: ['digits', 'the word null', 'the word true', 'JSON in text', 'a list in text', 'a decimal in text'],
  weight: ['null', 'zero', 'number', 'integer'],
  pieces: ['zero', 'integer'],
  isShown: ['true', 'false'],
  foundOn: ['null'],
  seenAt: ['null'],
  state: ['null'],
  code: ['null'],
  worth: ['null', 'digits', 'a decimal in text'],
  marks: ['null', 'an empty list', 'a list of one number'],
  size: ['null'],
  counts: ['null', 'an empty object'],
}

/** For each relation and foreign key of an item. */
const fitsRelation: Readonly<Record<string, readonly Value[]>> = {
  donorId: [],
  roomId: ['null'],
  twinId: ['null'],
  label: ['null'],
  parts: ['an empty list'],
  experts: ['an empty list'],
  topics: ['an empty list'],
}

describeServersOnDatabases('a value of another type', (database) => {
  const service = useApp(database, museum)
  const exhibits = useExhibits(service)

  for (const [name, right] of Object.entries(fits)) {
    test(`is refused, and the right ones are stored as they are: ${name}`, async () => {
      const { item } = bodiesOf(exhibits)
      const path = `/api/item/${exhibits.mine.id}`
      const wrong = Object.entries(values).filter(([what]) => !right.includes(what as Value))
      const before = await service.snapshot()
      for (const [what, value] of wrong) {
        for (const [method, url, body] of [
          ['POST', '/api/item', { ...item, [name]: value }],
          ['PATCH', path, { [name]: value }],
        ] as const) {
          const answer = await service.request(method, url, body)
          expect(answer.body.code, what).toBe('CRUD_ERR_INVALID')
          for (const { pointer } of answer.body.errors) expect(pointer).toMatch(new RegExp(`^/${name}(/|$)`))
        }
      }
      expect(await service.snapshot()).toEqual(before)
      for (const what of right) {
        const { status, body } = await service.patch(path, { [name]: values[what] })
        expect([status, body[name]], what).toEqual([200, values[what]])
      }
    })
  }

  for (const [name, right] of Object.entries(fitsRelation)) {
    test(`is refused as a relation or a foreign key: ${name}`, async () => {
      const { item } = bodiesOf(exhibits)
      // Any integer may be the id of a record: all that counts is the type.
      const isRight = (what: string) =>
        right.includes(what as Value) || ['zero', 'integer'].includes(what) || what.includes('an id')
      const path = `/api/item/${exhibits.mine.id}`
      const before = await service.snapshot()
      for (const [what, value] of Object.entries(values)) {
        if (isRight(what)) continue
        for (const [method, url, body] of [
          ['POST', '/api/item', { ...item, [name]: value }],
          ['PATCH', path, { [name]: value }],
          ['PUT', path, { ...item, [name]: value }],
        ] as const) {
          // It changes nothing of a label that is there.
          if (method === 'PATCH' && name === 'label' && what === 'an empty object') continue
          const answer = await service.request(method, url, body)
          expect(answer.body.code, `${method} ${what}`).toBe('CRUD_ERR_INVALID')
        }
      }
      expect(await service.snapshot()).toEqual(before)
    })
  }

  test('is refused as an id in a body', async () => {
    const { mine } = exhibits
    const { item } = bodiesOf(exhibits)
    const path = `/api/item/${mine.id}`
    for (const [what, id] of Object.entries(values)) {
      if (['zero', 'integer'].includes(what)) continue
      await refuseAll(service, { code: 'CRUD_ERR_INVALID' }, [
        ['PUT', '/api/item', { ...item, id }],
        ['PATCH', path, { id }],
        ['PATCH', path, { label: { id } }],
        ['PATCH', path, { parts: [{ id }] }],
        ['PATCH', path, { parts: [{ id: mine.parts[0].id, repairs: [{ id }] }] }],
        ['PATCH', path, { topics: [{ id }] }],
      ])
    }
  })
})
