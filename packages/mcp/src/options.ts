/** What `app.register(crudMcp, { … })` takes. */
export interface CrudMcpOptions {
  /** The path of the endpoint. Default `/mcp`. */
  readonly path?: string
  /** The prefix of the service, as `crudPlugin` has it. Default `/api`. */
  readonly service?: string
  /** No tool changes a record. Default `false`. */
  readonly readOnly?: boolean
  /**
   * The host names by which the endpoint may be reached besides `localhost`, without ports: `['api.example.com']`. A
   * request with another `Host` is 403, so that no page of the web reaches a program on its visitor's machine (DNS
   * rebinding).
   */
  readonly hosts?: readonly string[]
  /**
   * The host names of pages that may call the endpoint, besides `localhost`. A request with another `Origin` is 403.
   * Only a request with an `Origin` from among them may have cookies.
   */
  readonly origins?: readonly string[]
  /**
   * Headers of a request that its calls of the service have, too, besides `authorization` and `cookie`: those that tell
   * the tenant, for example.
   */
  readonly headers?: readonly string[]
  /** The most bytes that a tool answers. Default 50,000. */
  readonly maxAnswer?: number
}

/** The options with their defaults, checked. */
export interface CheckedOptions {
  readonly path: string
  readonly service: string
  readonly readOnly: boolean
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
  readonly headers: readonly string[]
  readonly maxAnswer: number
}

const KNOWN = ['path', 'service', 'readOnly', 'hosts', 'origins', 'headers', 'maxAnswer', 'prefix', 'logLevel']
const LOCAL = ['localhost', '127.0.0.1', '[::1]']
const MOST_BYTES = 50_000
/** An answer with less room could not say what is wrong. */
const FEWEST_BYTES = 1_000

/** Throws a TypeError that names what is wrong. */
export function checkedOptions(given: CrudMcpOptions): CheckedOptions {
  const unknown = Object.keys(given).find((name) => !KNOWN.includes(name))
  if (unknown !== undefined) throw new TypeError(`crudMcp has no option '${unknown}'; there are ${KNOWN.join(', ')}`)
  const { path = '/mcp', service = '/api', readOnly = false, hosts = [], origins = [], headers = [] } = given
  const { maxAnswer = MOST_BYTES } = given
  for (const [name, value] of Object.entries({ path, service })) {
    if (typeof value !== 'string' || (value !== '' && !value.startsWith('/')))
      throw new TypeError(`${name} must be a path that begins with '/'`)
  }
  for (const [name, value] of Object.entries({ hosts, origins, headers })) {
    if (!Array.isArray(value) || value.some((one) => typeof one !== 'string'))
      throw new TypeError(`${name} must be an array of texts`)
  }
  if (typeof readOnly !== 'boolean') throw new TypeError('readOnly must be true or false')
  if (!Number.isSafeInteger(maxAnswer) || maxAnswer < FEWEST_BYTES)
    throw new TypeError(`maxAnswer must be an integer from ${FEWEST_BYTES}`)
  return {
    path,
    service: service.replace(/\/+$/, ''),
    readOnly,
    hosts: [...LOCAL, ...hosts],
    origins: [...LOCAL, ...origins],
    headers: headers.map((one) => one.toLowerCase()),
    maxAnswer,
  }
}
