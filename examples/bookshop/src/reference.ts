import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { icon } from './icon.ts'

/** Nothing of the page comes from elsewhere, and nothing goes there. */
const policy = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
].join('; ')

/** The API reference at `/reference`, made in the browser from the document at `/reference/openapi.json`. */
export async function reference(app: FastifyInstance): Promise<void> {
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('content-security-policy', policy)
  })
  await app.register(scalar, {
    routePrefix: '/reference',
    configuration: {
      agent: { disabled: true },
      mcp: { disabled: true },
      telemetry: false,
      withDefaultFonts: false,
      showDeveloperTools: 'never',
      hideClientButton: true,
      hideModels: true,
      orderSchemaPropertiesBy: 'preserve',
      orderRequiredPropertiesFirst: false,
      persistAuth: true,
      favicon: icon,
      metaData: { title: 'Bookshop · API reference' },
      authentication: { preferredSecurityScheme: 'user', securitySchemes: { user: { value: 'ada' } } },
    },
  })
}
