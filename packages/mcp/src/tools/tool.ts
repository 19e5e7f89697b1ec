import type { ToolAnnotations } from '@modelcontextprotocol/server'
import type { CheckedOptions } from '../options.ts'
import type { CallService } from '../service.ts'

/** A JSON Schema of an object. */
export interface InputSchema {
  readonly [keyword: string]: unknown
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required?: string[]
  readonly additionalProperties: false
}

/** What a tool works with: the service as its caller may use it. */
export interface Tools {
  readonly call: CallService
  readonly options: CheckedOptions
}

export interface Tool<Input = never> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: InputSchema
  readonly annotations: ToolAnnotations
  /** Resolves to what the agent reads. Fails with a `ToolError` that is for it, too. */
  readonly run: (input: Input, tools: Tools) => Promise<string>
}

export function inputOf(properties: Readonly<Record<string, object>>, ...required: string[]): InputSchema {
  return { type: 'object', properties, required, additionalProperties: false }
}

export const RESOURCE = { type: 'string', description: 'The name of a resource, as `describe` lists them.' }

export const OWNERS = {
  type: 'object',
  additionalProperties: { type: ['string', 'integer'] },
  description:
    'The ids of the owners that a path names, such as { "list_id": 1 }. Leave it out for a path without owners.',
}

export const ID = { type: ['string', 'integer'], description: 'The id of the record.' }

export const NAMES = { type: 'array', items: { type: 'string' } }

export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false }
export const WRITES: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
}

/** The text, unless it is too long for an answer: then as much of it as fits, and that it was cut. */
export function cut(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text
  const note = '\n… (cut: the answer is too long)'
  const room = most - Buffer.byteLength(note)
  // A part of a character at the end becomes one that stands for it.
  return `${Buffer.from(text)
    .subarray(0, room)
    .toString()
    .replace(/\uFFFD$/, '')}${note}`
}
