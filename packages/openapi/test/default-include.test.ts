import { Type } from '@sinclair/typebox'
import { expect, test } from 'vitest'
import { defineResources } from '../../core/src/model/define/define-resources.ts'
import { knows, needs, ownedBy, owns } from '../../core/src/model/descriptors/relations.ts'
import { mountsOf } from '../../core/src/model/mount.ts'
import { descriptionOf } from '../src/routes/describe-route.ts'
import { propertyOf, validatorOf } from './validator.ts'

const name = Type.String()
const model = defineResources({
  album: {
    fields: { name },
    relations: {
      tracks: owns.many('track'),
      takes: owns.many('take'),
      cover: owns.one('cover', { required: true }),
      inlay: owns.one('inlay'),
      bands: needs.many('band'),
      label: needs.one('band'),
      tags: knows.many('band'),
    },
    defaultInclude: ['tracks'],
  },
  track: { fields: { name }, relations: { album: ownedBy('album') } },
  take: { fields: { name }, relations: { album: ownedBy('album') } },
  cover: { fields: { name }, relations: { album: ownedBy('album') } },
  inlay: { fields: { name }, relations: { album: ownedBy('album') } },
  band: { fields: { name } },
})
const wrong = validatorOf(model)
const record = { id: 1, name: 'a', tracks: [], labelId: 1 }

test('a record shows what it carries by default, and nothing else', () => {
  expect(wrong('album.record', record)).toEqual([])
  expect(wrong('album.record', { ...record, bands: [] })).toHaveLength(1)
  expect(wrong('album.record', { ...record, label: { id: 1, name: 'b' } })).toHaveLength(1)
})

test('the body of a replace may leave out the rest, that of a create only what is not required', () => {
  const { id: _, ...body } = record
  expect(wrong('album.replace', record)).toEqual([])
  expect(wrong('album.replace', { ...record, takes: [], cover: { name: 'c' }, bands: [{ id: 1 }] })).toEqual([])
  expect(wrong('album.replace', { ...record, bands: [] })).toHaveLength(1)
  expect(wrong('album.create', body)).toHaveLength(2)
  expect(wrong('album.create', { ...body, cover: { name: 'c' }, bands: [{ id: 1 }] })).toEqual([])
})

test.each([
  ['tracks', /All others are removed, also if this is left out\.$/],
  ['takes', /All others are removed\. If this is left out, all stay unchanged\.$/],
  ['cover', /It keeps its id\. If it is left out, it stays unchanged\.$/],
  ['inlay', /Null removes it\. If it is left out, it stays unchanged\.$/],
  ['bands', /needs from then on\. If this is left out, all stay unchanged\.$/],
  ['tags', /knows from then on\. If this is left out, all stay unchanged\.$/],
])('the body of a replace says what becomes of %s', (name, words) => {
  expect(propertyOf(model, 'album.replace', name)).toMatchObject({ description: expect.stringMatching(words) })
})

test('the words of the routes say what is shown, and what stays', () => {
  const [album] = mountsOf(model)
  if (album === undefined) expect.unreachable()
  expect(descriptionOf('findOne', 'get', album)).toBe('Includes records that it owns: `tracks`.')
  expect(descriptionOf('replace', 'put', album)).toMatch(
    /Relations that a record does not show by default stay unchanged if the body leaves them out: `takes`, `cover`, `inlay`, `bands`, `tags`\./,
  )
})
