import { defineResources, knows, needs, ownedBy, owns } from '@fastify-crud/core'
import { Type } from '@sinclair/typebox'

/** A model with every relation kind, also between records of one owner, and with keys of each kind of column. */
export const model = defineResources({
  region: { fields: { name: Type.String() } },
  editor: { fields: { name: Type.String() } },
  tag: { fields: { name: Type.String() } },
  site: {
    fields: { name: Type.String() },
    relations: {
      pages: owns.many('page'),
      images: owns.many('image'),
      banner: owns.one('banner'),
      region: needs.one('region'),
      mirror: needs.one('region', { optional: true }),
      editors: needs.many('editor'),
      home: knows.one('page'),
      tags: knows.many('tag'),
    },
  },
  page: {
    fields: { title: Type.String(), slot: Type.Optional(Type.Integer()) },
    relations: {
      site: ownedBy('site'),
      sections: owns.many('section'),
      hero: needs.one('image', { optional: true, unique: true }),
      next: knows.one('page'),
      related: knows.many('page'),
    },
    unique: [['site', 'slot']],
  },
  section: {
    fields: { text: Type.String() },
    relations: { page: ownedBy('page'), image: needs.one('image'), images: needs.many('image') },
  },
  image: { fields: { file: Type.String() }, relations: { site: ownedBy('site') }, unique: [['file']] },
  banner: { fields: { text: Type.String() }, relations: { site: ownedBy('site') } },
  node: {
    fields: { name: Type.String(), rank: Type.Optional(Type.Integer()) },
    relations: { parent: ownedBy('node', { optional: true }), nodes: owns.many('node') },
    unique: [['parent', 'rank']],
  },
})

export const section = { id: 31, text: 's', imageId: 21, images: [{ id: 21 }, { id: 22 }] }

const page = (id: number, slot: number) => ({
  id,
  title: `p${id}`,
  slot,
  heroId: null as number | null,
  nextId: null as number | null,
  related: [] as { id: number }[],
  sections: [] as unknown[],
})

export const first = { ...page(11, 1), heroId: 21, nextId: 12, related: [{ id: 12 }, { id: 13 }], sections: [section] }
export const second = { ...page(12, 2), heroId: 22 }
export const third = page(13, 3)

/** A site as reading it shows it, without the nested records of associations, which plans do not look at. */
export const site = {
  id: 1,
  name: 'site',
  regionId: 2,
  mirrorId: 3,
  editors: [{ id: 4 }, { id: 5 }],
  homeId: 11,
  tags: [{ id: 6 }],
  banner: { id: 7, text: 'b' },
  pages: [first, second, third],
  images: [
    { id: 21, file: 'a' },
    { id: 22, file: 'b' },
    { id: 23, file: 'c' },
  ],
}

const node = (id: number, rank: number, ...nodes: unknown[]) => ({ id, name: `n${id}`, rank, nodes })

export const leaf = node(4, 1)
export const branch = node(2, 1, leaf, node(5, 2))
export const otherBranch = node(3, 2)

/** A tree of three levels. */
export const root = node(1, 1, branch, otherBranch)
