import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { defineResources } from '../../core/src/model/define/define-resources.ts'
import { needs } from '../../core/src/model/descriptors/relations.ts'
import { mountsOf } from '../../core/src/model/mount.ts'
import { descriptionOf } from '../src/routes/describe-route.ts'
import { propertyOf, validatorOf } from './validator.ts'

const model = defineResources({
  book: { fields: { title: Type.String() }, relations: { editor: needs.one('person', { optional: true }) } },
  person: { fields: { name: Type.String() } },
})
const wrong = validatorOf(model)

test('a record shows the foreign key and the record of an optional need, or null', () => {
  const editor = { id: 1, name: 'E' }
  expect(wrong('book.record', { id: 1, title: 'T', editorId: null, editor: null })).toEqual([])
  expect(wrong('book.record', { id: 1, title: 'T', editorId: 1, editor })).toEqual([])
  expect(wrong('book.record', { id: 1, title: 'T' })).toHaveLength(2)
})

test.each(['create', 'replace', 'patch'])('the body of %s may leave out the foreign key, or have null', (verb) => {
  for (const rest of [{}, { editorId: null }, { editorId: 1 }, { editorId: 1, editor: { id: 1 } }]) {
    expect(wrong(`book.${verb}`, { title: 'T', ...rest })).toEqual([])
  }
  expect(wrong(`book.${verb}`, { title: 'T', editorId: '1' })).not.toEqual([])
  expect(propertyOf(model, `book.${verb}`, 'editorId')).toMatchObject({
    description: expect.stringMatching(/^The person record that it needs\. .*\bnull\b/i),
  })
})

test('the words of the routes do not ask for it, and say what a delete does', () => {
  const [book, person] = mountsOf(model)
  if (book === undefined || person === undefined) expect.unreachable()
  expect(descriptionOf('create', 'post', book)).toBe('')
  expect(descriptionOf('delete', 'delete', person)).toBe(
    'Refused with 409 as long as another record needs it: `book.editor`.',
  )
})
