import { Type } from '@sinclair/typebox'
import { defineResources, knows, ownedBy, owns } from 'fastify-crud'

/** A tree of folders: a record may do without an owner. A shortcut knows one of them. */
export const folders = defineResources({
  folder: {
    fields: { name: Type.String(), isSecret: Type.Integer({ default: 0 }) },
    relations: {
      parent: ownedBy('folder', { optional: true }),
      folders: owns.many('folder'),
      files: owns.many('file'),
    },
  },
  file: { fields: { name: Type.String() }, relations: { folder: ownedBy('folder') } },
  shortcut: { fields: { name: Type.String() }, relations: { to: knows.one('folder'), file: knows.one('file') } },
})
