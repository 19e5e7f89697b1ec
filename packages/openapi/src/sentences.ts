import type { JsonSchema } from '@fastify-crud/core/internal'

/** Joins sentences, without those that do not apply. */
export function sentences(...parts: readonly (string | false)[]): string {
  return parts.filter((part) => part !== false && part !== '').join(' ')
}

/** The schema with one more sentence at the end of its description. */
export function withSentence(schema: JsonSchema, sentence: string): JsonSchema {
  const { description } = schema
  return { ...schema, description: typeof description === 'string' ? `${description} ${sentence}` : sentence }
}
