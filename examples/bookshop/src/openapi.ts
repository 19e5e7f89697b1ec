import type { SwaggerOptions } from '@fastify/swagger'
import { privateResources } from './access.ts'

/** What the plugin cannot know of the OpenAPI document: who publishes it, and how users say who they are. */
export const openapi: SwaggerOptions = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Bookshop',
      version: '1.0.0',
      description:
        'A publishing house and its shop. Anybody may look around; `x-user: ada` may add and edit as well, `x-user: ben` also delete. ' +
        'With the email of a customer as `x-user`, there are only the orders of this customer.',
    },
    servers: [{ url: '/' }],
    components: { securitySchemes: { user: { type: 'apiKey', in: 'header', name: 'x-user' } } },
    security: [{ user: [] }],
  },
  transformObject(made) {
    if (!('openapiObject' in made)) return made.swaggerObject
    const { openapiObject } = made
    for (const path of Object.values(openapiObject.paths ?? {})) {
      for (const operation of [path?.get, path?.head]) {
        const isPublic = !operation?.tags?.some((resource) => privateResources.has(resource))
        if (operation && isPublic) operation.security = OPEN_TO_ANYBODY
      }
    }
    return openapiObject
  },
}

const OPEN_TO_ANYBODY = [{}, { user: [] }]
