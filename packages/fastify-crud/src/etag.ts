import { hash } from 'node:crypto'

/** Base64 characters of a tag: 144 bits, so nobody finds two records with one tag. */
const LENGTH = 24

/** The strong ETag of the JSON of a whole record, as its caller sees it: the same bytes have the same tag, and no other bytes have it. */
export function etagOf(json: string): string {
  return `"${hash('sha256', json, 'base64url').slice(0, LENGTH)}"`
}

/** That of an answer which is not the whole record. It never matches in `If-Match`. */
export function weakEtagOf(json: string): string {
  return `W/${etagOf(json)}`
}
