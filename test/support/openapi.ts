import swagger from '@fastify/swagger'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { FastifyInstance } from 'fastify'

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { responses: Readonly<Record<string, Response>> }>>>>
  readonly components?: { readonly schemas?: object }
}

/** Answers that do not fit the OpenAPI document, in words. */
export interface OpenApiCheck {
  readonly misfits: readonly string[]
}

/**
 * Has every answer of a service compared with its own OpenAPI document: status, content type and body. To be called
 * before the plugin is registered.
 */
export async function checkAgainstOpenApi(fastify: FastifyInstance): Promise<OpenApiCheck> {
  const misfits: string[] = []
  await fastify.register(swagger, {
    openapi: { openapi: '3.1.0', info: { title: 'Service under test', version: '0.0.0' } },
    refResolver: { buildLocalReference: (schema, _base, _fragment, number) => String(schema.$id ?? `def-${number}`) },
  })
  let document: OpenApi | undefined
  const compiled = new Map<string, ValidateFunction>()
  const validatorOf = (place: string, schema: object): ValidateFunction => {
    let validate = compiled.get(place)
    if (validate === undefined) {
      const ajv = new Ajv2020({ strict: false, allErrors: true })
      formats.default(ajv)
      ajv.addFormat('decimal', true)
      validate = ajv.compile({ ...schema, components: document?.components })
      compiled.set(place, validate)
    }
    return validate
  }
  fastify.addHook('onSend', async (request, reply, payload) => {
    const { url, schema } = request.routeOptions
    const isDocumented = schema !== undefined && !(schema as { hide?: boolean }).hide
    if (url === undefined || !isDocumented || request.method === 'HEAD') return
    document ??= fastify.swagger() as unknown as OpenApi
    const path = url.replaceAll(/:([^/]+)/g, '{$1}')
    const place = `${request.method} ${path} ${reply.statusCode}`
    const response = document.paths[path]?.[request.method.toLowerCase()]?.responses[reply.statusCode]
    if (response === undefined) {
      misfits.push(`${place} is not documented`)
      return
    }
    if (typeof payload !== 'string' || payload === '') return
    const type = String(reply.getHeader('content-type')).split(';')[0] as string
    const content = response.content?.[type]
    if (content === undefined) {
      misfits.push(`${place}: the content type ${type} is not documented`)
      return
    }
    const validate = validatorOf(place, content.schema)
    if (!validate(JSON.parse(payload))) misfits.push(`${place}: ${JSON.stringify(validate.errors)} in ${payload}`)
  })
  return { misfits }
}
