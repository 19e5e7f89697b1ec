import { Type } from '@sinclair/typebox'
import {
  countOf,
  defineResources,
  field,
  knows,
  maxOf,
  minOf,
  neededBy,
  needs,
  ownedBy,
  owns,
  sumOf,
  visible,
} from 'fastify-crud'
import { sql } from 'kysely'

const decimal = Type.String({ format: 'decimal' })
const orNull = Type.Optional

/** Aggregates over every kind of relation and type of field, and expressions of every kind. */
export const warehouse = defineResources({
  depot: {
    fields: { name: Type.String() },
    relations: {
      crates: owns.many('crate'),
      tags: knows.many('tag', { through: 'depot_tag' }),
      drivers: neededBy.many('driver'),
      folders: owns.many('folder'),
    },
    computed: {
      value: sumOf('crates', 'price'),
      weight: sumOf('crates', 'weight'),
      pieces: sumOf('crates', 'pieces'),
      spare: sumOf('crates', 'spare'),
      crateCount: countOf('crates'),
      tagCount: countOf('tags'),
      tagScore: sumOf('tags', 'score'),
      driverCount: countOf(visible('drivers')),
      oldest: minOf('drivers', 'born'),
      lastLabel: maxOf('crates', 'label'),
      cheapest: minOf('crates', 'price'),
      pay: sumOf('drivers', 'pay'),
      // Of another kind than what it is made of.
      heavy: {
        schema: Type.Integer(),
        value: ({ eb, related }) =>
          eb
            .selectFrom(related('crates').as('one'))
            .select(({ fn }) => fn.countAll().as('n'))
            .where('one.weight', '>', 10),
      },
      others: {
        schema: Type.Integer(),
        value: ({ eb }) =>
          eb
            .selectFrom('depot as other')
            .select(({ fn }) => fn.countAll().as('n'))
            .whereRef('other.name', '=', 'depot.name')
            .whereRef('other.id', '!=', 'depot.id'),
      },
      shout: { schema: Type.String(), value: () => sql<string>`upper(depot.name)` },
      mine: { schema: orNull(Type.Boolean()), value: ({ eb, my }) => eb('id', '=', my('org')) },
    },
  },
  crate: {
    fields: {
      label: Type.String(),
      size: orNull(Type.Object({ width: Type.Integer() })),
      price: decimal,
      weight: Type.Number(),
      pieces: Type.Integer(),
      spare: orNull(Type.Integer()),
    },
    relations: { depot: ownedBy('depot') },
    computed: {
      outside: { schema: orNull(Type.Object({ width: Type.Integer() })), value: ({ eb }) => eb.ref('size') },
      isHeavy: { schema: Type.Boolean(), value: ({ eb }) => eb('weight', '>', 10) },
    },
  },
  tag: {
    fields: { word: Type.String(), score: Type.Integer() },
    relations: { depots: knows.many('depot', { through: 'depot_tag' }) },
    computed: { depotCount: countOf('depots') },
  },
  driver: {
    fields: {
      name: Type.String(),
      born: Type.String({ format: 'date' }),
      pay: field(Type.Integer(), { access: { View: ['hr'] } }),
    },
    relations: { depot: needs.one('depot') },
  },
  folder: {
    fields: { title: Type.String() },
    relations: { depot: ownedBy('depot'), above: ownedBy('folder'), folders: owns.many('folder') },
    computed: { below: countOf('folders') },
  },
})
