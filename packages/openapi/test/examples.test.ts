import { type TSchema, Type } from '@sinclair/typebox'
import { describe, expect, it } from 'vitest'
import { defineResources } from '../../core/src/model/define/define-resources.ts'
import { ownedBy, owns } from '../../core/src/model/descriptors/relations.ts'
import type { Model } from '../../core/src/model/model.ts'
import { openApiOf } from '../src/document/openapi-of.ts'
import { library } from './library.ts'
import { componentOf, validatorOf } from './validator.ts'

function exampleOf(model: Model, name: string): unknown {
  const { examples } = componentOf(model, name)
  return Array.isArray(examples) ? examples[0] : undefined
}

function exampleOfField(field: TSchema): unknown {
  return exampleOf(defineResources({ thing: { fields: { colour: field } } }), 'thing.create')
}

describe('the examples', () => {
  it('fit the schemas that they stand in', () => {
    const wrong = validatorOf(library)
    let count = 0
    for (const [name, { examples }] of Object.entries(openApiOf(library).components.schemas)) {
      if (!Array.isArray(examples)) continue
      for (const example of examples) expect(wrong(name, example), name).toEqual([])
      count += examples.length
    }
    expect(count).toBeGreaterThan(50)
  })

  it('show a record with all that belongs to it', () => {
    expect(exampleOf(library, 'chapter.record')).toEqual({
      id: 1,
      title: 'title',
      pages: 1,
      notes: [{ id: 1, text: 'text' }],
      picture: {
        id: 1,
        url: 'https://www.example.com/',
        artistId: 1,
        artist: { id: 1, name: 'Ursula K. Le Guin' },
      },
    })
  })

  it('show bodies: no ids in POST, the ids of the children in PUT, one change in PATCH', () => {
    const picture = { url: 'https://www.example.com/', artistId: 1 }
    const chapter = { title: 'title', pages: 1, picture }
    expect(exampleOf(library, 'chapter.create')).toEqual({ ...chapter, notes: [{ text: 'text' }] })
    expect(exampleOf(library, 'chapter.replace')).toEqual({ ...chapter, notes: [{ id: 1, text: 'text' }] })
    expect(exampleOf(library, 'chapter.patch')).toEqual({ title: 'title' })
  })

  it('end, in a tree', () => {
    expect(exampleOf(library, 'category.record')).toEqual({
      id: 1,
      name: 'name',
      categories: [{ id: 1, name: 'name', categories: [{ id: 1, name: 'name', categories: [] }] }],
    })
  })

  it('go as deep as a record that may not be missing', () => {
    const model = defineResources({
      a: { relations: { b: owns.one('b', { required: true }) } },
      b: { relations: { a: ownedBy('a'), c: owns.one('c', { required: true }) } },
      c: { relations: { b: ownedBy('b'), d: owns.one('d', { required: true }) } },
      d: { relations: { c: ownedBy('c'), e: owns.one('e', { required: true }) } },
      e: { fields: { on: Type.Boolean() }, relations: { d: ownedBy('d') } },
    })
    expect(exampleOf(model, 'a.create')).toEqual({ b: { c: { d: { e: { on: true } } } } })
  })

  it.each<[TSchema, unknown]>([
    [Type.String(), 'colour'],
    [Type.String({ minLength: 8, maxLength: 9 }), 'colourcolour'.slice(0, 8)],
    [Type.String({ maxLength: 3 }), 'col'],
    [Type.String({ default: 'red', pattern: '^r' }), 'red'],
    [Type.String({ examples: [5, 'blue'], default: 'red' }), 'blue'],
    [Type.String({ format: 'date-time' }), '2026-03-14T09:26:53Z'],
    [Type.String({ format: 'decimal' }), '12.50'],
    [Type.Union([Type.Literal('red'), Type.Literal('blue')]), 'red'],
    [Type.Integer({ minimum: 10 }), 10],
    [Type.Integer({ exclusiveMaximum: 0 }), -1],
    [Type.Integer({ multipleOf: 7 }), 7],
    [Type.Number(), 9.5],
    [Type.Boolean(), true],
    [Type.Any(), {}],
    [Type.Array(Type.String(), { minItems: 2 }), ['colour', 'colour']],
    [Type.Tuple([Type.Number(), Type.Boolean()]), [9.5, true]],
    [Type.Object({ r: Type.Integer(), g: Type.Optional(Type.Integer({ default: 9 })) }), { r: 1, g: 9 }],
  ])('take a value that fits: %j', (field, value) => {
    expect(exampleOfField(field)).toEqual({ colour: value })
  })

  it('leave out what cannot be made up', () => {
    expect(exampleOfField(Type.Optional(Type.String({ pattern: '^[0-9]{5}$' })))).toEqual({})
    expect(exampleOfField(Type.String({ pattern: '^[0-9]{5}$' }))).toBeUndefined()
    expect(exampleOfField(Type.String({ minLength: 100_000 }))).toBeUndefined()
  })
})
