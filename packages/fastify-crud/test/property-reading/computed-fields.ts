import type { TSchema } from '@sinclair/typebox'
import type { Aggregate, ComputedDeclaration, Descriptors, ResourceDescriptor } from 'fastify-crud'
import { fieldSchema } from '../property/random-fields.ts'
import { numberKind } from './random-expression.ts'
import type { ReadingField } from './reading-model.ts'

/** A property that the database computes. */
export interface ComputedField extends ReadingField {
  readonly declaration: ComputedDeclaration
}

const count = fieldSchema(numberKind, 'required', {})

/** What a resource computes, for whichever caller. */
export function computedFieldsOf(
  descriptors: Descriptors,
  { computed = {}, relations = {} }: ResourceDescriptor,
): ComputedField[] {
  return Object.entries(computed).map(([name, declaration]) => {
    const field = 'aggregate' in declaration ? fieldOf(descriptors, relations, declaration) : undefined
    const schema = 'schema' in declaration ? (declaration.schema as TSchema) : (field ?? count)
    return {
      name,
      schema,
      writeOnly: false,
      inSummary: declaration.summary !== false,
      viewers: (declaration.access ?? field?.access)?.View,
      declaration,
    }
  })
}

/** The schema of the field that an aggregate is made of; undefined for a count. */
function fieldOf(
  descriptors: Descriptors,
  relations: NonNullable<ResourceDescriptor['relations']>,
  { relation, field }: Aggregate,
): TSchema | undefined {
  if (field === undefined) return undefined
  const { target = '' } = relations[relation] ?? {}
  const schema = descriptors[target]?.fields?.[field]
  if (schema === undefined) throw new Error(`${target} has no field ${field}`)
  return schema as TSchema
}
