import { Type } from '@sinclair/typebox'
import { describe, expectTypeOf, test } from 'vitest'
import {
  type CreateBody,
  defineResources,
  knows,
  neededBy,
  needs,
  ownedBy,
  owns,
  type PatchBody,
  type RecordOf,
  type ReplaceBody,
  type ResourceDescriptor,
} from '../../src/index.ts'

const resources = defineResources({
  album: {
    fields: { name: Type.String() },
    relations: {
      tracks: owns.many('track'),
      cover: owns.one('cover', { required: true }),
      bands: needs.many('band'),
      label: needs.one('label'),
      studio: knows.one('label'),
      tags: knows.many('band'),
    },
    defaultInclude: ['tracks', 'studio'],
  },
  track: {
    fields: { name: Type.String() },
    relations: { album: ownedBy('album'), notes: owns.many('note') },
    defaultInclude: [],
  },
  note: { fields: { text: Type.String() }, relations: { track: ownedBy('track') } },
  cover: { relations: { album: ownedBy('album') } },
  band: {},
  label: { relations: { albums: neededBy.many('album') } },
})

type D = typeof resources

/** For calls that the compiler is to judge and nobody is to make. */
function compiled(_calls: () => unknown): void {}

describe('defaultInclude', () => {
  test('says which relations a record shows, at every depth; foreign keys are always there', () => {
    expectTypeOf<RecordOf<D, 'album'>>().toEqualTypeOf<{
      id: number
      name: string
      tracks: { id: number; name: string }[]
      labelId: number
      studioId: number | null
      studio: { id: number } | null
    }>()
  })

  test('lets the body of a replace leave out the others, which a create needs', () => {
    expectTypeOf<RecordOf<D, 'album'>>().toExtend<ReplaceBody<D, 'album'>>()
    expectTypeOf<{ name: string; labelId: number }>().toExtend<ReplaceBody<D, 'album'>>()
    expectTypeOf<{ name: string; labelId: number }>().not.toExtend<CreateBody<D, 'album'>>()
    expectTypeOf<{ name: string; labelId: number; bands: []; cover: object }>().toExtend<CreateBody<D, 'album'>>()
  })

  test('lets every body say something of the others', () => {
    const others = { cover: {}, bands: [{ id: 1 }], tracks: [{ name: 't', notes: [{ text: 'n' }] }] }
    expectTypeOf({ name: 'a', labelId: 1, ...others }).toExtend<CreateBody<D, 'album'>>()
    expectTypeOf({ name: 'a', labelId: 1, ...others }).toExtend<ReplaceBody<D, 'album'>>()
    expectTypeOf(others).toExtend<PatchBody<D, 'album'>>()
  })

  test('is kept by a descriptor that is a constant of its own', () => {
    const person = {
      fields: { name: Type.String() },
      relations: { friends: knows.many('person'), idols: knows.many('person') },
      defaultInclude: ['friends'],
    } satisfies ResourceDescriptor
    const model = defineResources({ person })
    expectTypeOf<keyof RecordOf<typeof model, 'person'>>().toEqualTypeOf<'id' | 'name' | 'friends'>()
  })

  test('with a name that is no relation of a record is a compile error', () => {
    compiled(() => [
      defineResources({
        person: {
          fields: { name: Type.String() },
          relations: { friends: knows.many('person') },
          // @ts-expect-error
          defaultInclude: ['freinds'],
        },
      }),
      defineResources({
        person: {
          fields: { name: Type.String() },
          relations: { friends: knows.many('person') },
          // @ts-expect-error
          defaultInclude: ['name'],
        },
      }),
      defineResources({
        book: { relations: { publisher: needs.one('publisher') } },
        publisher: {
          relations: { books: neededBy.many('book') },
          // @ts-expect-error
          defaultInclude: ['books'],
        },
      }),
    ])
  })
})
