import swagger from '@fastify/swagger'
import { EFFECTS_MEDIA_TYPE, type OpenApiDocument, type OpenApiResponse, pathTemplate } from '@fastify-crud/openapi'
import type { FastifyInstance } from 'fastify'
import { documentAjv, queryFitOf } from './query-fit.ts'

/** Answers that do not fit the OpenAPI document, and queries that the service has accepted, in words. */
export interface OpenApiCheck {
  readonly misfits: readonly string[]
}

/** Statuses that the document does not list for each operation. */
const OTHERS = [403, 412, 413, 415, 422, 500, 503]

/**
 * Has every answer of a service compared with its own OpenAPI document: status, content type and body, and the query of every
 * GET that it answers. To be called before the plugin is registered.
 */
export async function checkAgainstOpenApi(fastify: FastifyInstance): Promise<OpenApiCheck> {
  const misfits: string[] = []
  await fastify.register(swagger, {
    openapi: { openapi: '3.1.0', info: { title: 'Service under test', version: '0.0.0' } },
  })
  let checked: CheckedDocument | undefined
  fastify.addHook('onSend', async (request, reply, payload) => {
    const { url, config } = request.routeOptions
    const method = request.method.toLowerCase()
    if (url === undefined || !config.swaggerTransform || reply.statusCode === 405) return
    checked ??= checkedDocument(fastify.swagger() as unknown as OpenApiDocument)
    const contentType = String(reply.getHeader('content-type'))
    // A record is partial without being asked for only if its table holds what cannot be shown: it is described where records are read.
    // A POST that only reads, and a batch, describe such records themselves.
    const isRead = method === 'get' || /\/\$(list|group|batch)$/.test(url)
    const isCut = !isRead && typeof payload === 'string' && payload.includes('"partial":true')
    const misfit =
      checked.misfitOf(isCut ? 'get' : method, url, reply.statusCode, contentType, payload) ??
      (method === 'get' && reply.statusCode === 200 ? checked.misfitOfQuery(url, request.url) : undefined)
    if (misfit !== undefined) misfits.push(`${request.method} ${url} ${reply.statusCode}: ${misfit}`)
  })
  return { misfits }
}

interface CheckedDocument {
  misfitOfQuery(url: string, asked: string): string | undefined
  misfitOf(method: string, url: string, status: number, contentType: string, payload: unknown): string | undefined
}

/** The service of one test file has the same document on every database: its validators are made once. */
const lastChecked = { text: '', checked: undefined as CheckedDocument | undefined }

function checkedDocument(document: OpenApiDocument): CheckedDocument {
  const text = JSON.stringify(document)
  if (lastChecked.text !== text) Object.assign(lastChecked, { text, checked: makeCheckedDocument(document) })
  return lastChecked.checked as CheckedDocument
}

function makeCheckedDocument(document: OpenApiDocument): CheckedDocument {
  const ajv = documentAjv(document, { allErrors: true })

  const responseOf = (method: string, url: string, status: number): string | undefined => {
    const item = document.paths[pathTemplate('', url)] as Partial<Record<string, { responses: Responses }>> | undefined
    const responses = item?.[method]?.responses
    const others = OTHERS.includes(status) || method === 'head' ? responses?.default : undefined
    const ref = responses?.[status] ?? others
    return ref?.$ref.split('/').at(-1)
  }
  /** The document leaves out writes that are always refused. */
  const isRefused = (method: string, url: string, status: number) =>
    status === 403 && !(method in (document.paths[pathTemplate('', url)] ?? {}))
  const queryFit = queryFitOf(document)
  return {
    misfitOfQuery: (url, asked) => queryFit(pathTemplate('', url), asked.split('?')[1] ?? ''),
    misfitOf(method, url, status, contentType, payload) {
      if (document['x-crud-models']?.includes(pathTemplate('', url))) return undefined
      const name = responseOf(method, url, status)
      const response: OpenApiResponse | undefined = document.components.responses[name ?? '']
      if (response === undefined) return isRefused(method, url, status) ? undefined : 'is not documented'
      if (typeof payload !== 'string' || payload === '' || method === 'head') return undefined
      const type = contentType.split(';')[0] as string
      const isOfEffects = type === EFFECTS_MEDIA_TYPE && method !== 'get'
      if (!isOfEffects && response.content?.[type]?.schema === undefined)
        return `the content type ${type} is not documented`
      const place = isOfEffects
        ? '/components/schemas/effects'
        : `/components/responses/${name}/content/${type.replaceAll('/', '~1')}/schema`
      const validate = ajv.getSchema(`document#${place}`)
      if (validate === undefined) return `there is no ${place}`
      if (validate(JSON.parse(payload))) return undefined
      return `${JSON.stringify(validate.errors)} in ${payload}`
    },
  }
}

type Responses = Readonly<Record<string, { readonly $ref: string }>>
