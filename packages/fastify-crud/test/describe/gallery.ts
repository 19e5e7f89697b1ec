import { Type } from '@sinclair/typebox'
import {
  countOf,
  defineActions,
  defineResources,
  field,
  knows,
  neededBy,
  needs,
  ownedBy,
  owns,
  type Policies,
} from 'fastify-crud'

const text = Type.String()

/** A gallery whose staff know more than its visitors. */
export const gallery = defineResources({
  artist: {
    description: 'Who paints.',
    fields: {
      name: Type.String({ minLength: 1 }),
      phone: field(Type.String(), { access: { View: ['staff'], Edit: ['staff'] } }),
    },
    relations: { paintings: neededBy.many('painting') },
    unique: [['name'], ['phone']],
    groups: true,
  },
  painting: {
    fields: {
      title: text,
      year: Type.Optional(Type.Integer()),
      price: field(Type.Integer(), { default: 0, access: { Edit: ['staff'] } }),
      pin: field(Type.Optional(text), { writeOnly: true }),
    },
    relations: {
      artist: needs.one('artist'),
      safe: needs.one('safe'),
      frame: owns.one('frame', { required: true }),
      rooms: owns.many('room', { order: 'place' }),
      tags: knows.many('tag'),
    },
    computed: { roomCount: countOf('rooms') },
    defaultInclude: ['artist', 'safe', 'frame', 'rooms'],
    unique: [['artist', 'title'], ['safe'], { fields: ['title'], where: { year: null } }],
    search: { fields: ['title', 'artist.name', 'artist.phone', 'safe.code'] },
    softDelete: { column: 'goneAt', trash: true },
    ifMatch: 'required',
  },
  frame: { fields: { wood: text }, relations: { painting: ownedBy('painting') }, softDelete: 'goneAt' },
  room: {
    topLevel: true,
    fields: { name: text },
    relations: { painting: ownedBy('painting', { moves: true }) },
    softDelete: 'goneAt',
  },
  tag: { route: 'labels', fields: { name: text } },
  safe: { fields: { code: text } },
})

export const policies: Policies<typeof gallery> = {
  artist: { View: true },
  painting: true,
  tag: { visitor: { View: true }, staff: true },
  safe: { staff: true },
}

export const actions = defineActions(gallery, {
  painting: {
    hang: {
      asks: 'Edit',
      body: Type.Object({ wall: Type.Integer() }),
      changes: ['painting', 'safe'],
      run: () => {},
    },
    count: {
      on: 'list',
      method: 'GET',
      asks: 'View',
      query: Type.Object({ year: Type.Optional(Type.Integer()) }),
      answer: Type.Integer(),
      run: async ({ store }) => (await store.painting.list()).count,
    },
  },
})
