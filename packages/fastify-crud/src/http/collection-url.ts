import type { Mount } from '@fastify-crud/core/internal'
import type { FastifyRequest } from 'fastify'

/** The path of a mount's collection as in a URL, with its parameters in place of values: `/api/book/:book_id/note`. */
export function collectionUrl(prefix: string, mount: Mount): string {
  const segments = `${prefix}/${mount.url}`.split('/').filter((segment) => segment !== '')
  return `/${segments.map((segment) => (segment.startsWith(':') ? segment : encodeURIComponent(segment))).join('/')}`
}

const PARAMETER = /(?<=\/):([^/]*)/g

/** The path of a request, with its values in place of parameters. */
export function filledIn(path: string, { params }: FastifyRequest): string {
  if (!path.includes(':')) return path
  return path.replaceAll(PARAMETER, (segment, name: string) => {
    const value = (params as Readonly<Record<string, unknown>>)[name]
    return encodeURIComponent(value === undefined ? segment : String(value))
  })
}
