import type { FastifySchema } from 'fastify'
import { HttpError } from './hand-written.ts'

// The schemas and types of the hand-written services.

export interface Child {
  readonly id: number
  readonly name: string
  readonly quantity: number
}

export interface Parent extends Child {
  readonly children: readonly Child[]
}

export interface ById {
  readonly Params: { readonly id: string }
}

export interface Page {
  readonly Querystring: { readonly limit?: string; readonly offset?: string }
}

export interface Create {
  readonly Body: {
    readonly name: string
    readonly quantity: number
    readonly children?: readonly Omit<Child, 'id'>[]
  }
}

export interface Replace extends ById {
  readonly Body: {
    readonly id?: number
    readonly name: string
    readonly quantity: number
    readonly children?: readonly (Omit<Child, 'id'> & { readonly id?: number })[]
  }
}

export interface Patch extends ById {
  readonly Body: { readonly id?: number; readonly name?: string; readonly quantity?: number }
}

const integer = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
const id = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
const fields = { name: { type: 'string' }, quantity: integer }
const required = ['name', 'quantity']

const child = { type: 'object', properties: { id, ...fields }, required: ['id', ...required] }
const record = {
  type: 'object',
  properties: { id, ...fields, children: { type: 'array', items: child } },
  required: ['id', ...required, 'children'],
}

const params = { type: 'object', properties: { id: { type: 'string', pattern: '^(?:0|[1-9][0-9]*)$' } } }

function bodyOf(properties: object, needed: readonly string[]) {
  return { type: 'object', properties, required: needed, additionalProperties: false }
}

export const schemas = {
  read: { params, response: { 200: record } },
  list: {
    querystring: {
      type: 'object',
      properties: {
        limit: { type: 'string', pattern: '^(?:[1-9][0-9]?|100)$' },
        offset: { type: 'string', pattern: '^(?:0|[1-9][0-9]{0,14})$' },
      },
      additionalProperties: false,
    },
    response: {
      200: {
        type: 'object',
        properties: { rows: { type: 'array', items: record }, count: { type: 'integer' } },
        required: ['rows', 'count'],
      },
    },
  },
  create: {
    body: bodyOf({ ...fields, children: { type: 'array', items: bodyOf(fields, required) } }, required),
    response: { 201: record },
  },
  replace: {
    params,
    body: bodyOf({ id, ...fields, children: { type: 'array', items: bodyOf({ id, ...fields }, required) } }, required),
    response: { 200: record },
  },
  patch: { params, body: bodyOf({ id, ...fields }, []), response: { 200: record } },
  delete: { params },
} satisfies Record<string, FastifySchema>

/** The id in the path, which the schema has found to be digits. */
export function pathId(params: ById['Params']): number {
  return Number(params.id)
}

export function pageOf({ limit = '20', offset = '0' }: Page['Querystring']): { limit: number; offset: number } {
  return { limit: Number(limit), offset: Number(offset) }
}

/** The children of a PUT that are there already, and those that are new; checks what a schema cannot say. */
export function checkReplace(pathId: number, { id, children = [] }: Replace['Body']) {
  if (id !== undefined && id !== pathId) throw new HttpError(400, 'id must be the one in the path')
  const listed: Child[] = []
  const added: Omit<Child, 'id'>[] = []
  for (const { id, name, quantity } of children) {
    if (id === undefined) added.push({ name, quantity })
    else listed.push({ id, name, quantity })
  }
  if (new Set(listed.map((one) => one.id)).size < listed.length) throw new HttpError(400, 'a child is there twice')
  return { listed, added }
}

export function checkPatch(pathId: number, { id }: Patch['Body']): void {
  if (id !== undefined && id !== pathId) throw new HttpError(400, 'id must be the one in the path')
}

export const byId = (a: Child, b: Child): number => a.id - b.id
