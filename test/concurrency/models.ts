import { Type } from '@sinclair/typebox'
import { defineResources, knows, neededBy, needs, ownedBy, owns } from 'fastify-crud'

const name = Type.String()

/** Owned records: one and many, through two relations, to three levels. */
export const owned = defineResources({
  owner: {
    fields: { name, note: Type.Optional(Type.String()) },
    relations: {
      items: owns.many('item'),
      card: owns.one('card'),
      homes: owns.many('address', { inverse: 'homeOf' }),
      works: owns.many('address', { inverse: 'workOf' }),
    },
  },
  item: {
    fields: { name, rank: Type.Optional(Type.Integer()) },
    relations: { owner: ownedBy('owner'), parts: owns.many('part'), tip: owns.one('tip') },
    unique: [['owner', 'rank']],
  },
  part: { fields: { name }, relations: { item: ownedBy('item'), dots: owns.many('dot') } },
  dot: { fields: { name }, relations: { part: ownedBy('part') } },
  tip: { fields: { name }, relations: { item: ownedBy('item') } },
  card: { fields: { name }, relations: { owner: ownedBy('owner') } },
  address: { fields: { name }, relations: { homeOf: ownedBy('owner'), workOf: ownedBy('owner') } },
})

/** Trees of one resource. */
export const trees = defineResources({
  node: {
    fields: { name },
    relations: { parent: ownedBy('node', { optional: true }), nodes: owns.many('node') },
  },
})

/** Every way to be related without being owned. `box` owns what others need and know. */
export const related = defineResources({
  box: { fields: { name }, relations: { things: owns.many('thing') } },
  thing: { fields: { name }, relations: { box: ownedBy('box') } },
  place: { fields: { name } },
  seat: { fields: { name }, relations: { guest: neededBy.one('guest') } },
  key: { fields: { name }, relations: { guest: neededBy.one('guest') } },
  guest: {
    fields: { name },
    relations: {
      place: needs.one('place'),
      seat: needs.one('seat', { unique: true }),
      keys: needs.many('key'),
      things: needs.many('thing'),
    },
  },
  fan: {
    fields: { name },
    relations: {
      place: knows.one('place'),
      thing: knows.one('thing'),
      things: knows.many('thing'),
      friend: knows.one('fan'),
      friends: knows.many('fan'),
    },
  },
  needer: { fields: { name }, relations: { thing: needs.one('thing') } },
})

/** One link table, which both sides write. */
export const bothWays = defineResources({
  a: { fields: { name }, relations: { bs: knows.many('b', { through: 'a_b', from: 'aId', to: 'bId' }) } },
  b: { fields: { name }, relations: { as: knows.many('a', { through: 'a_b', from: 'bId', to: 'aId' }) } },
})

/** Something that many take from. */
export const stocks = defineResources({
  product: { fields: { name, stock: Type.Integer({ minimum: 0 }) } },
})

/** Records that move: to other owners of one kind, of several kinds, to where one has its place, and in a tree. */
export const moving = defineResources({
  board: {
    fields: { name },
    relations: { lists: owns.many('list', { order: 'position' }), cover: owns.one('cover', { inverse: 'board' }) },
  },
  list: {
    topLevel: true,
    fields: { name },
    relations: {
      board: ownedBy('board', { moves: true }),
      items: owns.many('item', { order: 'position' }),
      cover: owns.one('cover', { inverse: 'list' }),
    },
  },
  item: {
    topLevel: true,
    fields: { name },
    relations: { list: ownedBy('list', { moves: true }), parts: owns.many('part') },
  },
  part: { fields: { name }, relations: { item: ownedBy('item') } },
  cover: {
    topLevel: true,
    fields: { name },
    relations: { board: ownedBy('board', { moves: true }), list: ownedBy('list', { moves: true }) },
  },
  folder: {
    fields: { name },
    relations: {
      parent: ownedBy('folder', { optional: true, moves: true }),
      folders: owns.many('folder', { order: 'position' }),
    },
  },
})
