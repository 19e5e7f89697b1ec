import type { ComputedDeclaration } from 'fastify-crud'
import { madeOf } from '../property/random-fields.ts'
import { meaningOf } from './random-expression.ts'

/** A computed field as one writes it. */
export function showComputed(declaration: ComputedDeclaration): string {
  if ('schema' in declaration) {
    return `{ schema: ${madeOf(declaration.schema).source}, value: ${meaningOf(declaration).source} }`
  }
  const { aggregate, relation, field, visible, ...options } = declaration
  const records = visible ? `visible('${relation}')` : `'${relation}'`
  const given = Object.keys(options).length > 0 ? [JSON.stringify(options)] : []
  return `${aggregate}Of(${[records, ...(field === undefined ? [] : [`'${field}'`]), ...given].join(', ')})`
}
