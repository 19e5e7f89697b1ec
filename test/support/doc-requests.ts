/** A request of a page, with the answer that the page shows. */
export interface DocRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  readonly url: string
  /** Who is asking, as the application's authentication has it; undefined if the page does not say. */
  readonly user: unknown
  readonly headers: Headers
  readonly body: unknown
  readonly answer: { readonly status: number; readonly headers: Headers; readonly body: unknown }
}

type Headers = Readonly<Record<string, string>>

const REQUEST = /^(GET|POST|PUT|PATCH|DELETE|OPTIONS) (\S+)$/
const USER = /^user: (.*)$/
const STATUS = /^([1-5]\d\d)$/
const HEADER = /^([A-Z][\w-]*): (.*)$/

/**
 * The requests of an `http` block. Each is a line with the method and the path, a line `user:` with the JSON of who is asking, its headers,
 * the JSON of its body, a line with the status, and the headers and the JSON of the answer. All but the two lines may be left out.
 */
export function requestsIn(block: string): DocRequest[] {
  const parts: { readonly line: string; user?: string; readonly headers: Record<string, string>; json: string }[] = []
  for (const line of block.split('\n')) {
    const [, user] = USER.exec(line) ?? []
    const [, header, value] = HEADER.exec(line) ?? []
    if (user !== undefined) (parts.at(-1) ?? fail(line)).user = user
    else if (header !== undefined) (parts.at(-1) ?? fail(line)).headers[header.toLowerCase()] = value as string
    else if (REQUEST.test(line) || STATUS.test(line)) parts.push({ line, headers: {}, json: '' })
    else (parts.at(-1) ?? fail(line)).json += line
  }
  const requests: DocRequest[] = []
  for (let index = 0; index < parts.length; index += 2) {
    const [request, answer] = [parts[index], parts[index + 1]]
    const [, method, url] = REQUEST.exec(request?.line ?? '') ?? fail(request?.line)
    const [, status] = STATUS.exec(answer?.line ?? '') ?? fail(answer?.line)
    requests.push({
      method: method as DocRequest['method'],
      url: url as string,
      user: parsed(request?.user),
      headers: request?.headers ?? {},
      body: parsed(request?.json),
      answer: { status: Number(status), headers: answer?.headers ?? {}, body: parsed(answer?.json) },
    })
  }
  return requests
}

function parsed(json = ''): unknown {
  return json.trim() === '' ? undefined : JSON.parse(json)
}

function fail(line: string | undefined): never {
  throw new Error(`a request and its answer should follow one another, and here is '${line}'`)
}
