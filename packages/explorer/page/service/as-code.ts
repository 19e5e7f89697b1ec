import type { ModelDocument } from '../model/model.ts'
import { serviceUrl } from '../settings.ts'
import { clientCallOf, written } from './client-code.ts'
import type { SentRequest } from './requests.ts'

/** Headers of which nobody knows whether they are a password. */
const SECRET = /auth|cookie|token|secret|password|session|credential|api-?key/i

/** Tokens are for nobody's eyes, and for no clipboard. */
function headersOf({ headers }: SentRequest): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name, SECRET.test(name) ? '…' : value])
}

/** The body, without the values of fields that the service itself shows to nobody. */
function bodyOf({ body }: SentRequest, model: ModelDocument | undefined, space?: number): string {
  const fields = Object.values(model?.resources ?? {}).flatMap((resource) => Object.entries(resource.fields))
  const secrets = new Set(fields.flatMap(([name, { writeOnly }]) => (writeOnly ? [name] : [])))
  return JSON.stringify(body, (name, value) => (secrets.has(name) ? '…' : value), space)
}

function shownBody(request: SentRequest, model: ModelDocument): unknown {
  return request.body === undefined ? undefined : JSON.parse(bodyOf(request, model))
}

/** The request as it goes over the wire. */
export function httpOf(request: SentRequest, model?: ModelDocument): string {
  const { method, path, body, status, milliseconds } = request
  const { host, pathname } = new URL(serviceUrl)
  const lines = [`${method} ${pathname === '/' ? '' : pathname}${path}`, `host: ${host}`]
  lines.push(...headersOf(request).map(([name, value]) => `${name}: ${value}`))
  const answer =
    status === undefined ? '' : `\n\n${status === 0 ? 'no answer' : status} (${Math.round(milliseconds ?? 0)} ms)`
  return `${lines.join('\n')}${body === undefined ? '' : `\n\n${bodyOf(request, model, 2)}`}${answer}`
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A command for a shell. */
export function curlOf(request: SentRequest, model?: ModelDocument): string {
  const { method, path, body } = request
  const parts = [`curl -g ${method === 'GET' ? '' : `-X ${method} `}${quoted(`${serviceUrl}${path}`)}`]
  parts.push(...headersOf(request).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`))
  if (body !== undefined) parts.push(`-d ${quoted(bodyOf(request, model))}`)
  return parts.join(' \\\n  ')
}

/** A program that sends it: by the client, or where that has no method for it by `fetch`. */
export function clientCodeOf(request: SentRequest, model?: ModelDocument): string {
  const { method, path, body } = request
  const call = model && clientCallOf({ ...request, body: shownBody(request, model) }, model)
  const token = request.headers.authorization === undefined ? '' : ", headers: { authorization: '…' }"
  if (call !== undefined) {
    const follows = path.startsWith('/$changes') ? "import { changes } from '@fastify-crud/client/changes'\n" : ''
    return `import { createClient } from '@fastify-crud/client'\n${follows}\nconst api = createClient({ url: ${written(serviceUrl)}${token} })\n${call}`
  }
  const headers = Object.fromEntries(headersOf(request))
  const options = {
    ...(method !== 'GET' && { method }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body !== undefined && { body: bodyOf(request, model) }),
  }
  const end = Object.keys(options).length === 0 ? '' : `, ${written(options)}`
  return `const response = await fetch(${written(serviceUrl + path)}${end})\nconsole.log(response.status, await response.text())`
}
