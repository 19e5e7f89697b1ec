import type { ModelDocument } from '../model/model.ts'
import { serviceUrl } from '../settings.ts'
import { clientCallOf, written } from './client-code.ts'
import type { SentRequest } from './requests.ts'

/** Tokens are for nobody's eyes, and for no clipboard. */
function headersOf({ headers }: SentRequest): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name, name === 'authorization' ? '…' : value])
}

/** The request as it goes over the wire. */
export function httpOf(request: SentRequest): string {
  const { method, path, body, status, milliseconds } = request
  const { host, pathname } = new URL(serviceUrl)
  const lines = [`${method} ${pathname === '/' ? '' : pathname}${path}`, `host: ${host}`]
  lines.push(...headersOf(request).map(([name, value]) => `${name}: ${value}`))
  const answer =
    status === undefined ? '' : `\n\n${status === 0 ? 'no answer' : status} (${Math.round(milliseconds ?? 0)} ms)`
  return `${lines.join('\n')}${body === undefined ? '' : `\n\n${JSON.stringify(body, null, 2)}`}${answer}`
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A command for a shell. */
export function curlOf(request: SentRequest): string {
  const { method, path, body } = request
  const parts = [`curl -g ${method === 'GET' ? '' : `-X ${method} `}${quoted(`${serviceUrl}${path}`)}`]
  parts.push(...headersOf(request).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`))
  if (body !== undefined) parts.push(`-d ${quoted(JSON.stringify(body))}`)
  return parts.join(' \\\n  ')
}

/** A program that sends it: by the client, or where that has no method for it by `fetch`. */
export function clientCodeOf(request: SentRequest, model?: ModelDocument): string {
  const { method, path, body } = request
  const call = model && clientCallOf(request, model)
  const token = request.headers.authorization === undefined ? '' : ", headers: { authorization: '…' }"
  if (call !== undefined) {
    const follows = path.startsWith('/$changes') ? "import { changes } from '@fastify-crud/client/changes'\n" : ''
    return `import { createClient } from '@fastify-crud/client'\n${follows}\nconst api = createClient({ url: ${written(serviceUrl)}${token} })\n${call}`
  }
  const headers = Object.fromEntries(headersOf(request))
  const options = {
    ...(method !== 'GET' && { method }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }
  const end = Object.keys(options).length === 0 ? '' : `, ${written(options)}`
  return `const response = await fetch(${written(serviceUrl + path)}${end})\nconsole.log(response.status, await response.text())`
}
