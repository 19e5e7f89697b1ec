import type { JsonSchema } from './json-schema.ts'

/** The schema with one more sentence at the end of its description. */
export function withSentence(schema: JsonSchema, sentence: string): JsonSchema {
  const { description } = schema
  return { ...schema, description: typeof description === 'string' ? `${description} ${sentence}` : sentence }
}
