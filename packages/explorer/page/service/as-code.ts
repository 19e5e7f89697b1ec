import type { ModelDocument } from '../model/model.ts'
import { spotAt } from '../model/names.ts'
import { serviceUrl } from '../settings.ts'
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

/** A program that sends it. */
export function clientCodeOf(request: SentRequest, model?: ModelDocument): string {
  const { method, path, body } = request
  const [plain = ''] = path.split('?')
  const spot = model && spotAt(model, plain)
  const comment = spot === undefined ? '' : `// ${spot.resource}${spot.id === undefined ? '' : ` ${spot.id}`}\n`
  const headers = Object.fromEntries(headersOf(request))
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(Object.keys(headers).length === 0 ? [] : [`  headers: ${JSON.stringify(headers)},`]),
    ...(body === undefined
      ? []
      : [`  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`]),
  ]
  const end = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`
  return `${comment}const response = await fetch(${JSON.stringify(serviceUrl + path)}${end})\nconst body = ${method === 'DELETE' ? 'response.ok' : 'await response.json()'}`
}
