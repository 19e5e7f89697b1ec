import { defineResources, knows, maxOf, needs, ownedBy, owns, visible } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'
import { readPolicies, rightsOf } from '../../src/asking/policies/read-policies.ts'
import type { Rights } from '../../src/asking/policies/rights.ts'
import { type CollectionPath, ownedPath, topPath } from '../../src/model/collection-path.ts'

/** A resource with two of everything that a statement can be about, one with many fields, and a tree. */
export const anyModel = defineResources({
  publisher: { fields: { name: Type.String(), city: Type.Optional(Type.String()) } },
  tag: { fields: { word: Type.String() } },
  book: {
    fields: { title: Type.String(), isbn: Type.String(), price: Type.Integer() },
    unique: [['isbn'], ['title']],
    defaultInclude: ['chapters', 'printers'],
    relations: {
      publisher: needs.one('publisher'),
      editor: knows.one('publisher'),
      printers: needs.many('publisher'),
      tags: knows.many('tag'),
      chapters: owns.many('chapter'),
      pages: owns.many('page', { inverse: 'book' }),
      cover: owns.one('page', { inverse: 'coverOf' }),
    },
    computed: { lastChapter: maxOf(visible('chapters'), 'title') },
    search: { fields: ['title', 'lastChapter', 'tags.word'], index: true },
  },
  chapter: {
    fields: { title: Type.String() },
    relations: { book: ownedBy('book'), pages: owns.many('page') },
  },
  page: {
    fields: { text: Type.String() },
    relations: {
      book: ownedBy('book'),
      coverOf: ownedBy('book'),
      chapter: ownedBy('chapter'),
    },
  },
  wide: { fields: Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`field${index}`, Type.Integer()])) },
  folder: {
    softDelete: 'deletedAt',
    fields: { name: Type.String() },
    relations: { above: ownedBy('folder', { optional: true }), folders: owns.many('folder') },
  },
})

export const resources = [...anyModel.resources.values()]

export function pathsOf(): readonly CollectionPath[] {
  const found = resources.filter(({ isRoot }) => isRoot).map(({ key }) => topPath(anyModel, key))
  for (const path of found) {
    if (path.relations.length > 1) continue
    for (const { name } of path.resource.owns) found.push(ownedPath(path, name))
  }
  return found
}

/** Each action has another condition. */
export function differentRights(): Rights {
  const when =
    (number: number) =>
    ({ eb }: { eb: (...condition: unknown[]) => unknown }) =>
      eb('id', '<>', number)
  const policies = Object.fromEntries(
    resources.map(({ key }) => [key, { View: when(1), Add: when(2), Edit: when(3), Delete: when(4) }]),
  )
  const { rules } = rightsOf(readPolicies(anyModel, policies), new Set())
  return {
    rules: new Map(
      [...rules].map(([resource, of]) => [resource, { ...of, EditAfter: [of.Add, of.Delete].flat() as never }]),
    ),
  }
}
