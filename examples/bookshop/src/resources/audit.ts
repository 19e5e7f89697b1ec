import { Type } from '@sinclair/typebox'
import type { ResourceDescriptor } from 'fastify-crud'
import { oneOf } from '../fields.ts'

/** The table that the rule `audit` writes. As a resource, it is made with the other tables, and lists of it take filters. */
export const audit = {
  description: 'Who did what to which order, and what it was before and after. The rules of the shop write it.',
  fields: {
    at: Type.String({ format: 'date-time' }),
    resource: oneOf(['order', 'line']),
    recordId: Type.String({ maxLength: 50 }),
    action: oneOf(['Add', 'Edit', 'Delete']),
    before: Type.Optional(Type.Any({ description: 'Null for a new record.' })),
    after: Type.Optional(Type.Any({ description: 'Null for a record that was removed.' })),
    caller: Type.Optional(Type.Any({ description: 'Who did it; null for the service itself.' })),
  },
  index: [['resource', 'recordId']],
} satisfies ResourceDescriptor
