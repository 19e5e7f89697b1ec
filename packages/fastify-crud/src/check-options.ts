import { checkOpenApiOptions, OPENAPI_OPTIONS } from '@fastify-crud/core/schema'
import type { CrudOpenApiOptions, CrudOptions } from './options.ts'

/** The plugin's own options, and those of `fastify.register`. */
const OPTIONS = [
  'db',
  'resources',
  'prefix',
  'limits',
  'caller',
  'session',
  'authorize',
  'policies',
  'rules',
  'errors',
  'handlers',
  'decorator',
  'openapi',
  'logLevel',
  'logSerializers',
]

/** Throws a TypeError for options that would be misunderstood, or not at all. */
export function checkOptions(options: CrudOptions): void {
  for (const name of Object.keys(options)) {
    if (!OPTIONS.includes(name))
      throw new TypeError(`fastify-crud has no option '${name}'; there are ${OPTIONS.join(', ')}`)
  }
  const { authorize, caller, decorator } = options
  if (caller !== undefined && typeof caller !== 'function') throw new TypeError('caller: must be a function')
  if (authorize !== undefined && typeof authorize !== 'function') throw new TypeError('authorize: must be a function')
  if (decorator !== undefined && decorator !== false && (typeof decorator !== 'string' || decorator === ''))
    throw new TypeError('decorator: must be a name, or false for none')
  checkOpenApi(options.openapi ?? {})
}

function checkOpenApi(options: CrudOpenApiOptions): void {
  if (typeof options !== 'object' || options === null) throw new TypeError('openapi: must be an object')
  checkOpenApiOptions(options, ['path', ...OPENAPI_OPTIONS], 'openapi')
  const { path } = options
  if (path !== undefined && !/^\/[^:*]+$/.test(path)) {
    throw new TypeError(`openapi.path: must be a path without parameters, such as '/openapi.json'`)
  }
}
