import { Type } from '@sinclair/typebox'
import { defineResources, ownedBy, owns } from 'fastify-crud'

const fields = { name: Type.String(), quantity: Type.Integer({ index: true }) }

/** What every side serves: a record with two fields that owns records with two fields. */
export const resources = defineResources({
  parent: { fields, relations: { children: owns.many('child') } },
  // The column as SAP CAP calls it: then the tables of all sides have the same columns.
  child: { fields, relations: { parent: ownedBy('parent', { foreignKey: 'parent_id' }) } },
})

/** Children of each record: record 1 has the children 1 to 5, record 2 has 6 to 10, and so on. */
export const CHILDREN = 5
