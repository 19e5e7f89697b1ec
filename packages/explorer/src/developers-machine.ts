import type { FastifyRequest } from 'fastify'

/** Headers of proxies. A request that has one was first sent to somebody else than this process. */
const OF_PROXIES =
  /^(?:forwarded|via|x-forwarded(?:-.*)?|x-original-.*|x-real-ip|(?:true|x|x-cluster|fastly|fly)-client-ip|cdn-loop|cf-.*)$/

/**
 * Whether a request surely comes from a browser on this machine that means this machine.
 *
 * The address is that of the connection, whatever `trustProxy` says. `Host` has to be a name of this machine, as a
 * page of somebody else may have its own name point here (DNS rebinding). A proxy on the same machine connects from
 * here, too: most say so in a header. nginx and others close each connection, or ask by HTTP 1.0, which no browser
 * does. A page of another site may send people here, and may load nothing from here, whatever CORS the application has.
 */
export function isDevelopersMachine({ raw, headers }: FastifyRequest): boolean {
  if (!isLoopback(raw.socket?.remoteAddress)) return false
  if (raw.httpVersion === '1.0' || /\bclose\b/i.test(headers.connection ?? '')) return false
  if (Object.keys(headers).some((name) => OF_PROXIES.test(name))) return false
  const { 'sec-fetch-site': site = 'none', 'sec-fetch-mode': mode } = headers
  if (site !== 'none' && site !== 'same-origin' && mode !== 'navigate') return false
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
