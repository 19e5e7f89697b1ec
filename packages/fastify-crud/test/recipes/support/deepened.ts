import { Type } from '@sinclair/typebox'
import { defineResources, type Model, ownedBy, owns } from 'fastify-crud'

/** The model, with records of a root resource three levels below another one: a floor has rooms, these have shelves. */
export function deepened({ descriptors }: Model, key: string): Model {
  const root = descriptors[key] ?? {}
  return defineResources({
    ...descriptors,
    [key]: { ...root, relations: { ...root.relations, shelf: ownedBy('shelf') } },
    floor: { fields: { name: Type.String({ default: 'f' }) }, relations: { rooms: owns.many('room') } },
    room: { relations: { floor: ownedBy('floor'), shelves: owns.many('shelf') } },
    shelf: { relations: { room: ownedBy('room'), items: owns.many(key) } },
  } as never) as Model
}
