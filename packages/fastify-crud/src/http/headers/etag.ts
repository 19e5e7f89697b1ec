import { hash } from 'node:crypto'

/** Base64 characters of a tag: 144 bits, so two records never have one tag by chance. */
const LENGTH = 24

/** The strong ETag of the JSON of a whole record, as its caller sees it: the same bytes have the same tag, and no other bytes have it. */
export function etagOf(json: string): string {
  return `"${hash('sha256', json, 'base64url').slice(0, LENGTH)}"`
}
