import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { answersPage, type Call, type Endpoint } from '../call.ts'

/** Base64 characters of a tag: 144 bits, so two records never have one tag by chance. */
const LENGTH = 24

/** The strong ETag of the JSON of a whole record, as its caller sees it: the same bytes have the same tag, and no other bytes have it. */
export function etagOf(json: string): string {
  return `"${hash('sha256', json, 'base64url').slice(0, LENGTH)}"`
}

/** The ETag of an answer; undefined where it is no record as it is stored. With a query it is weak: such an answer may be a part. */
export function tagOfAnswer(endpoint: Endpoint, { preferences, request }: Call, json: string): string | undefined {
  if (answersPage(endpoint)) return undefined
  if (endpoint.operation === 'findOne') return hasQuery(request) ? `W/${etagOf(json)}` : etagOf(json)
  return preferences.tx === 'rollback' ? undefined : etagOf(json)
}

function hasQuery({ query }: FastifyRequest): boolean {
  for (const _ in query as object) return true
  return false
}
