import type { FastifyRequest } from 'fastify'

/** Headers of proxies. A request that has one was first sent to somebody else than this process. */
const OF_PROXIES = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

/**
 * Whether a request surely comes from a browser on this machine that means this machine.
 *
 * The address is that of the connection, whatever `trustProxy` says. `Host` has to be a name of this machine, as a
 * page of somebody else may have its own name point here (DNS rebinding). A proxy on the same machine connects from
 * here, too: most say so in a header, and nginx asks by HTTP 1.0 unless it is configured otherwise.
 */
export function isDevelopersMachine({ raw, headers }: FastifyRequest): boolean {
  if (!isLoopback(raw.socket?.remoteAddress)) return false
  if (raw.httpVersion === '1.0' || OF_PROXIES.some((name) => headers[name] !== undefined)) return false
  return isLocalHost(headers.host ?? String(headers[':authority'] ?? ''))
}

/** `127.0.0.1`, `::1`, and the first one as an address of IPv6. */
function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/.test(address)
}

/** `localhost`, with any names before it, and the addresses of loopback, with any port. */
function isLocalHost(host: string): boolean {
  return /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host)
}
