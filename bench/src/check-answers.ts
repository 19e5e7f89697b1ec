import { isDeepStrictEqual } from 'node:util'
import { Kysely, sql } from 'kysely'
import { AUTHORIZATION } from '../sides/access.ts'
import type { Running } from './contender.ts'
import { dialectOf, seed } from './databases.ts'
import { ask, forPages } from './works.ts'

const get = (...paths: string[]) => paths.map((path) => ask('GET', `/api/parent${path}`))
const post = (...bodies: (object | null)[]) => bodies.map((body) => ask('POST', '/api/parent', body))
const put = (...bodies: object[]) => bodies.map((body) => ask('PUT', '/api/parent/7', body))
const patch = (...bodies: object[]) => bodies.map((body) => ask('PATCH', '/api/parent/7', body))
const remove = () => ask('DELETE', '/api/parent/7')

const OWN = { name: 'seven', quantity: 7 }
const NEW = { name: 'new', quantity: 3 }
const [KEPT, KEPT_TOO] = [34, 35].map((id) => ({ id, name: 'kept', quantity: id }))

const withChildren = (...children: unknown[]) => ({ ...OWN, children })

/** As somebody who may do nothing. */
const forbidden = [get('/7'), post(OWN), put(OWN), patch({}), remove()].flat(2)

const allowed = [
  get('/7', '', '?limit=20&offset=40', '?limit=3&offset=99', '?offset=100', '/9999'),
  get('/01', '/x', '?limit=0', '?limit=101', '?offset=-1', '?page=1'),
  post(withChildren(NEW, NEW, NEW, NEW, NEW), OWN, { ...withChildren(), name: '"\\ \u2028 äöü 🙂' }),
  post([], null, { name: 'a' }, { ...OWN, name: 5 }, { ...OWN, other: 1 }, { id: 5, ...OWN }),
  post({ ...OWN, quantity: '12' }, { ...OWN, quantity: null }, { ...OWN, quantity: 1.5 }),
  post({ ...OWN, children: null }, { ...OWN, children: {} }, withChildren(null)),
  post(withChildren({ ...NEW, other: 1 }), withChildren({ ...NEW, id: 3 })),
  put(withChildren(KEPT_TOO, KEPT, NEW, NEW, NEW), { id: 7, ...withChildren(KEPT) }, { ...OWN, id: 2 }),
  put({ quantity: 1 }, withChildren(KEPT, KEPT), withChildren({ id: 34 })),
  put(...[15, 999_999, '34'].map((id) => withChildren({ ...NEW, id }))),
  patch({ quantity: 8 }, { id: 7, name: 'eight' }, {}, { name: null }, { quantity: 'x' }, { other: 1 }, { id: 2 }),
  [put(OWN), remove(), get('?limit=10')].flat(),
  [put(OWN), patch({}), remove()].flat(),
].flat(2)

/**
 * Asks all the same, from the same records on. Of a refusal the status counts, as the words are each service's own.
 *
 * @throws Error with every request that two of them answer differently, or if their rows differ at the end.
 */
export async function checkAnswers([first, ...others]: readonly Running[]): Promise<void> {
  if (first === undefined) return
  const expected = await answersOf(first)
  for (const other of others) {
    const answers = await answersOf(other)
    const different = expected.flatMap(({ asked, answer }, index) => {
      const its = answers[index]?.answer
      return isDeepStrictEqual(its, answer) ? [] : [asked, JSON.stringify(answer), JSON.stringify(its)]
    })
    if (different.length > 0) throw new Error(`${first.title} and ${other.title} differ:\n${different.join('\n')}`)
  }
}

/** What each has in its own way, or not at all: how to go on, and that fields were left out. */
const OWN_WORDS = ['next', 'partial']

/** To each request; and the rows at the end. */
async function answersOf({ location, port, works }: Running): Promise<{ asked: string; answer: unknown }[]> {
  await seed(location, 100)
  const answers = []
  const pages = Object.values(forPages((name) => [5, 95].map((id) => works[name]?.(id) ?? []))).flat(2)
  for (const [index, { method, path, body }] of [...forbidden, ...pages, ...allowed].entries()) {
    const authorization = index < forbidden.length ? 'Bearer somebody' : AUTHORIZATION
    const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const payload = body === undefined ? null : JSON.stringify(body)
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: payload })
    const [type, location] = ['content-type', 'location'].map((name) => response.headers.get(name))
    const text = await response.text()
    const { status } = response
    const json = text && JSON.parse(text, (name, value) => (OWN_WORDS.includes(name) ? undefined : value))
    const answer = status >= 400 ? { status } : { status, type, location, body: json }
    answers.push({ asked: `${method} ${path} ${payload}`, answer })
  }
  await using db = new Kysely({ dialect: dialectOf(location) })
  for (const table of ['parent', 'child']) {
    answers.push({ asked: table, answer: (await sql`select * from ${sql.table(table)} order by id`.execute(db)).rows })
  }
  return answers
}
