import type { FuzzedRequest } from './random-request.ts'

/** A request in one line. */
export function inWords({ caller, method, url, headers, payload }: FuzzedRequest): string {
  const body = payload === undefined ? '' : payload.toString().slice(0, 1_000)
  return `${caller.name}: ${method} ${url.slice(0, 1_000)} ${JSON.stringify(headers)} ${body}`
}
