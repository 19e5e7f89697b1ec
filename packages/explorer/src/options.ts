import type { onRequestAsyncHookHandler } from 'fastify'

export const PAGE_PREFIX = '/explorer'
export const SERVICE_PREFIX = '/api'

/** Headers that a request of the page has when it is somebody's. */
export interface ExplorerCaller {
  readonly headers: Readonly<Record<string, string>>
}

/** The options of the explorer. */
export interface ExplorerOptions {
  /** The path of the page. Default `/explorer`. */
  readonly prefix?: string
  /**
   * The prefix of the service that the page shows, as the plugin `fastify-crud` has it, or the whole URL of a service
   * of another origin. Default `/api`.
   */
  readonly service?: string
  /** What the page calls itself. Default: `Explorer`. */
  readonly title?: string
  /**
   * Without it, the page answers only a browser on the same machine, and nobody where `NODE_ENV` is `production`.
   * `true` opens it to whoever reaches the server; what they see and do there is what the service lets them.
   */
  readonly enabled?: boolean
  /** Asked before the page is sent: a hook of Fastify, which may send people to a login by itself. */
  readonly onRequest?: onRequestAsyncHookHandler
  /**
   * For development: people that one can be in the page, by their names. The page then has a switch, and sends their
   * headers. Refused with `enabled`, as everybody who opens the page gets these headers.
   */
  readonly callers?: Readonly<Record<string, ExplorerCaller>>
}

/** @throws TypeError for options that cannot be. */
export function checkExplorerOptions(options: ExplorerOptions): void {
  const { enabled, callers, prefix = PAGE_PREFIX, service = SERVICE_PREFIX } = options
  if (!/^\/[^?#]*[^/?#]$/.test(prefix)) throw new TypeError("prefix: must be a path such as '/explorer'")
  if (!/^(?:https?:\/\/[^/?#@\s;,]+)?\/[^?#]*$/.test(service)) {
    throw new TypeError("service: must be a path such as '/api', or a URL such as 'https://shop.example/api'")
  }
  // A text such as 'false', of an environment variable, would open it.
  if (typeof (enabled ?? false) !== 'boolean') throw new TypeError('enabled: must be true or false')
  for (const [name, caller] of Object.entries(callers ?? {})) {
    const headers = Object.values(caller?.headers ?? [undefined])
    if (!headers.every((value) => typeof value === 'string')) {
      throw new TypeError(`callers.${name}: must have headers with texts, such as { headers: { 'x-user': 'ada' } }`)
    }
  }
  if (enabled === true && callers !== undefined) {
    throw new TypeError('callers: is for development; with enabled: true, everybody would get their headers')
  }
}
