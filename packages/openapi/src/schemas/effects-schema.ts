import { BECAUSE, type JsonSchema } from '@fastify-crud/core/internal'

/** The media type of what a write does, which `Prefer: return=effects` asks for. */
export const EFFECTS_MEDIA_TYPE = 'application/vnd.fastify-crud.effects+json'

const ID: JsonSchema = { anyOf: [{ type: 'integer' }, { type: 'string' }] }

const NEW_RECORD: JsonSchema = {
  type: 'object',
  description: 'In a preview: the new record that has this number in its own change.',
  properties: { new: { type: 'integer', minimum: 1 } },
  required: ['new'],
}

const NAMED_RECORD: JsonSchema = {
  type: 'array',
  description: 'A record: the key of its resource, and its id.',
  items: { anyOf: [{ type: 'string' }, { type: 'integer' }, NEW_RECORD] },
  minItems: 2,
  maxItems: 2,
}

const VALUES: JsonSchema = { type: 'object', additionalProperties: true }

const CHANGE: JsonSchema = {
  type: 'object',
  properties: {
    action: { type: 'string', enum: ['Add', 'Edit', 'Delete', 'Link', 'Unlink'] },
    resource: { type: 'string', description: 'The key of the resource.' },
    id: { anyOf: [...(ID.anyOf as JsonSchema[]), { type: 'null' }], description: 'Null in a preview of a new record.' },
    new: { type: 'integer', minimum: 1, description: 'In a preview: the number of a new record.' },
    within: { ...NAMED_RECORD, description: 'The owner.' },
    relation: { type: 'string', description: 'Of a link: the relation of the record that has it.' },
    to: { anyOf: [...(ID.anyOf as JsonSchema[]), NEW_RECORD], description: 'Of a link: the record at the other end.' },
    pointer: { type: 'string', description: 'Where the body says it (RFC 6901).' },
    because: { type: 'string', enum: [...BECAUSE], description: 'Why, where the body does not say it.' },
    cause: { ...NAMED_RECORD, description: 'The record that is deleted, because of which this changes.' },
    soft: { type: 'boolean', description: 'The row is kept, and may come back; or it comes back.' },
    before: { ...VALUES, description: 'The values as they were: of an Edit, those that differ.' },
    after: { ...VALUES, description: 'The values as they are then.' },
  },
  required: ['action', 'resource', 'id'],
}

/** The form of effects: `effects` in the components. */
export const EFFECTS_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'What a write does, or would do: one change for each row and each link.',
  properties: {
    effects: { type: 'integer', enum: [1], description: 'The version of this form.' },
    write: { type: 'string', format: 'uuid' },
    at: { type: 'string', format: 'date-time' },
    operation: { type: 'string' },
    resource: { type: 'string', description: 'Absent of a batch.' },
    id: { anyOf: [...(ID.anyOf as JsonSchema[]), { type: 'null' }] },
    changes: { type: 'array', items: CHANGE },
  },
  required: ['effects', 'write', 'at', 'operation', 'changes'],
}
