import type { CrudOptions } from 'fastify-crud'
import { expect } from 'vitest'
import type { Answer, TestApp } from '../../../../../test/support/app.ts'
import type { JsonBody } from '../../../../../test/support/json-body.ts'
import { type ExpectedProblem, expectProblem } from '../../../../../test/support/problem.ts'

/** The policies of a service, as its tests hand them to the plugin. */
export type Policies = NonNullable<CrudOptions['policies']>

/** Who sends a request, and the words that no answer to them may contain. */
export interface Who {
  readonly user?: number
  readonly org?: number
  readonly roles?: readonly string[]
  readonly mayNotSee?: RegExp
}

/** Rows that Ada may not see have a zebra in each of their texts. */
export const ada: Who = { user: 1, org: 1, mayNotSee: /zebra/i }

export const missingId = 999_999

/** The plugin's option `caller`, for the headers of `headersOf`. */
export const caller: NonNullable<CrudOptions['caller']> = ({ headers }) => ({
  id: numberOf(headers['x-user']),
  org: numberOf(headers['x-org']),
  roles: String(headers['x-roles'] ?? '')
    .split(',')
    .filter((role) => role !== ''),
})

function numberOf(header: string | string[] | undefined): number | undefined {
  return header === undefined ? undefined : Number(header)
}

export function headersOf({ user, org, roles = [] }: Who): Record<string, string> {
  return {
    ...(user !== undefined && { 'x-user': `${user}` }),
    ...(org !== undefined && { 'x-org': `${org}` }),
    'x-roles': roles.join(),
  }
}

/** A client that checks each answer: it says nothing of what is hidden, and a refusal leaves the whole database as it was. */
export interface Client {
  request(method: string, path: string, body?: unknown): Promise<Answer>
  get(path: string): Promise<Answer>
  post(path: string, body: unknown): Promise<Answer>
  put(path: string, body: unknown): Promise<Answer>
  patch(path: string, body: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  /** GET that must succeed; returns the body. */
  read(path: string): Promise<JsonBody>
  /** A request that must be refused so; returns the problem. */
  refuse(method: string, path: string, body: unknown, expected: ExpectedProblem): Promise<JsonBody>
  /** Both requests must be refused so, in the same words but for the id. The second is sent with an id that no record has. */
  refuseLikeMissing(hiddenId: number, request: (id: number) => Request, expected: ExpectedProblem): Promise<void>
}

type Request = readonly [method: string, path: string, body?: unknown]

export function asCaller(service: TestApp, who: Who): Client {
  const request: Client['request'] = async (method, path, body) => {
    const before = await service.snapshot()
    const answer = await service.request(method, path, body, headersOf(who))
    if (who.mayNotSee !== undefined) expect(JSON.stringify(answer)).not.toMatch(who.mayNotSee)
    if (answer.status >= 400) expect(await service.snapshot()).toEqual(before)
    return answer
  }
  const refuse: Client['refuse'] = async (method, path, body, expected) => {
    const answer = await request(method, path, body)
    expectProblem(answer, expected)
    return answer.body
  }
  return {
    request,
    refuse,
    get: (path) => request('GET', path),
    post: (path, body) => request('POST', path, body),
    put: (path, body) => request('PUT', path, body),
    patch: (path, body) => request('PATCH', path, body),
    delete: (path) => request('DELETE', path),
    async read(path) {
      const answer = await request('GET', path)
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      return answer.body
    },
    async refuseLikeMissing(hiddenId, requestOf, expected) {
      const [hidden, missing] = [requestOf(hiddenId), requestOf(missingId)]
      const ofHidden = await refuse(hidden[0], hidden[1], hidden[2], expected)
      const ofMissing = await refuse(missing[0], missing[1], missing[2], expected)
      expect(withoutIds(ofHidden, hiddenId)).toBe(withoutIds(ofMissing, hiddenId))
    },
  }
}

function withoutIds(problem: JsonBody, hiddenId: number): string {
  return JSON.stringify(problem).replaceAll(new RegExp(`\\b(${hiddenId}|${missingId})\\b`, 'g'), '<id>')
}
