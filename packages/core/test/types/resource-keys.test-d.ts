import { describe, expectTypeOf, test } from 'vitest'
import type { Model, OwnsRelation, OwnsTarget, ResourceKey, RootKey } from '../../src/index.ts'
import type { Bookshop } from './bookshop.ts'

describe('The keys of a model', () => {
  test('are those of its descriptors', () => {
    expectTypeOf<'book' | 'paragraph'>().toExtend<ResourceKey<Bookshop>>()
    expectTypeOf<'bok'>().not.toExtend<ResourceKey<Bookshop>>()
  })

  test('are root keys where a record can be without an owner', () => {
    expectTypeOf<RootKey<Bookshop>>().toEqualTypeOf<
      'publisher' | 'author' | 'series' | 'tag' | 'book' | 'category' | 'person'
    >()
  })

  test('lead from an owner to what it owns', () => {
    expectTypeOf<OwnsRelation<Bookshop, 'book'>>().toEqualTypeOf<'cover' | 'blurb' | 'chapters'>()
    expectTypeOf<OwnsRelation<Bookshop, 'category'>>().toEqualTypeOf<'categories'>()
    expectTypeOf<OwnsRelation<Bookshop, 'cover'>>().toEqualTypeOf<never>()
    expectTypeOf<OwnsTarget<Bookshop, 'book', 'chapters'>>().toEqualTypeOf<'chapter'>()
    expectTypeOf<OwnsTarget<Bookshop, 'category', 'categories'>>().toEqualTypeOf<'category'>()
    expectTypeOf<OwnsTarget<Bookshop, 'person', 'works'>>().toEqualTypeOf<'address'>()
  })

  test('are strings where the model is not known at compile time', () => {
    expectTypeOf<RootKey<Model>>().toEqualTypeOf<string>()
    expectTypeOf<OwnsRelation<Model, string>>().toEqualTypeOf<string>()
    expectTypeOf<OwnsTarget<Model, string, string>>().toEqualTypeOf<string>()
  })
})
