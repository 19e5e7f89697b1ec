/**
 * One server of the storm, with its clients: sends random writes to an app of its own and logs each before it is sent and
 * when it is answered, until it is told to stop or killed.
 */
import { appendFileSync } from 'node:fs'
import Fastify, { type FastifyRequest } from 'fastify'
import { crudPlugin, defineEngine } from 'fastify-crud'
import { Kysely, type LogEvent } from 'kysely'
import type { JsonBody } from '../support/json-body.ts'
import { testEngine } from '../support/test-engine.ts'
import type { Known } from './bodies.ts'
import { type Key, type Line, noteRecords, type Sent } from './history.ts'
import { marketActions } from './market.ts'
import { randomOf } from './random.ts'
import { randomRequest, type StormRequest } from './requests.ts'
import { type StormIds, stormModelOf } from './storm-model.ts'
import { type Committed, stormRules } from './storm-rules.ts'
import { FAIRS } from './tenants.ts'
import { IN_TRASH } from './trash.ts'
import { unanswered } from './unanswered.ts'
import { unshownOf } from './unshown.ts'
import { dialectOf, type Way } from './ways.ts'

/** What a worker is started with, as JSON in its first argument. */
export interface WorkerOptions {
  readonly way: Way
  readonly worker: number
  readonly seed: number
  /** With rules. */
  readonly ruled: boolean
  readonly ids: StormIds
  /** The clients are those of two tenants. */
  readonly hasTenants: boolean
  /** The file that it appends its lines to. */
  readonly log: string
}

const options: WorkerOptions = JSON.parse(process.argv[2] as string)
const random = randomOf(options.seed)
const model = stormModelOf(options.ids, options.hasTenants)
/** The number of each tenant. */
const tenants = options.hasTenants ? [...FAIRS.keys()] : [undefined]
const retried: Record<string, number> = {}
const unknown = new Set<string>()
let isStopped = false
process.on('message', () => {
  isStopped = true
})
process.on('disconnect', () => process.exit())

function write(line: Line): void {
  appendFileSync(options.log, `${JSON.stringify(line)}\n`)
}

/** The same clock for all processes of the machine. */
const now = () => Number(process.hrtime.bigint() / 1000n)

function noteError(event: LogEvent): void {
  if (event.level !== 'error') return
  const { code, message } = event.error as { code?: string; message?: string }
  const kind = code ?? String(message)
  retried[kind] = (retried[kind] ?? 0) + 1
}

const { way } = options
/** With a log all would go by Kysely: where the store asks the database itself, no errors are counted. */
const isDirect = way.database === 'sqlite' && way.direct
// Without `keepStatements` a rollback goes off behind a statement that took too long, and `pg` warns of that.
if (way.database === 'postgres' && way.timeouts.query_timeout !== undefined) process.noDeprecation = true
const db = new Kysely<{ audit: { resource: string; recordId: string; action: string } }>({
  dialect: dialectOf(way),
  ...(isDirect ? {} : { log: noteError }),
})
if (way.database === 'postgres' && testEngine !== undefined) defineEngine(db, testEngine)
const app = Fastify({
  genReqId: (request) => String(request.headers['x-token']),
  logger: {
    level: 'error',
    stream: {
      write(text: string) {
        const { reqId, err } = JSON.parse(text) as { reqId?: string; err?: { code?: string; stack?: string } }
        if (reqId !== undefined && err?.code === 'CRUD_ERR_OUTCOME_UNKNOWN') unknown.add(reqId)
        // What is logged at start is that the tables could not be checked: the connection may just have been ended.
        else if (reqId !== undefined) process.send?.({ error: err?.stack ?? text })
      },
    },
  },
})
await app.register(crudPlugin, {
  db,
  resources: model,
  actions: marketActions as never,
  // Whose key it is, the id tells.
  caller: ({ headers }) => ({ token: headers['x-token'] as string, id: headers['x-token'] as string }),
  ...(options.hasTenants && {
    tenant: (_: unknown, { headers }: FastifyRequest) => FAIRS[Number(headers['x-tenant'])],
  }),
  ...(options.ruled && { rules: stormRules(noteCommit) }),
})

/** Others see what was written by then. */
async function noteCommit(resource: string, { rows, caller }: Committed): Promise<void> {
  const keys = rows.map(({ action, before, after }) => [action, (after ?? before)?.id] as const)
  const token = caller.token as string
  write({ line: 'committed', token, resource, rows: keys.map(([action, id]) => `${action} ${resource}/${id}`) })
  const [action, id] = keys[0] ?? ['', 0]
  const audited = db.selectFrom('audit').select('action').where('recordId', '=', String(id))
  // The connection may be lost, or the database be busy.
  const found = await audited
    .where('resource', '=', resource)
    .where('action', '=', action)
    .execute()
    .catch(() => undefined)
  if (found?.length === 0)
    process.send?.({ error: `afterCommit of ${token} runs before ${action} ${resource}/${id} is seen` })
}

/** The headers by which the service knows who asks. */
function headersOf(token: string, tenant: number | undefined): Record<string, string> {
  return { 'x-token': token, ...(tenant !== undefined && { 'x-tenant': String(tenant) }) }
}

async function read(path: string, tenant: number | undefined): Promise<JsonBody[]> {
  const answer = await app.inject({ url: `${path}?limit=100`, headers: headersOf('read', tenant) })
  if (answer.statusCode === 200) return answer.json().rows
  if (answer.statusCode !== 503) process.send?.({ error: `GET ${path}: ${answer.statusCode} ${answer.payload}` })
  return []
}

const NAMES = [
  'city',
  'manager',
  'van',
  'sponsor',
  'genre',
  'band',
  'review',
  'folder',
  'stall',
  'drawer',
  'loan',
  'clerk',
]

async function readAll(names: readonly string[], below: string, tenant: number | undefined): Promise<JsonBody> {
  const found = names.map(async (name) => [name, await read(`/api/${name}${below}`, tenant)] as const)
  return Object.fromEntries(await Promise.all(found))
}

async function look(tenant: number | undefined): Promise<Known> {
  const found = await readAll(NAMES, '', tenant)
  return { ...found, deleted: await readAll(IN_TRASH, '/$deleted', tenant), tenant } as unknown as Known
}

/** The records that a body describes, and those of them that it sets the text or mood of. */
function readBody({ method, path, resource, body, target, many }: StormRequest) {
  const own = method === 'POST' ? undefined : target.at(-1)?.split('/')[1]
  // The input of an action describes no record.
  const bodies = body === undefined || isAction(path) ? [] : Array.isArray(body) ? body : [{ ...body, id: own }]
  const noted = bodies.flatMap((one) => noteRecords(model, resource, one, new Set()))
  // Which record has these values, the database knows.
  const isNamed = (key: Key) => path.includes('?by=') || !key.endsWith('/undefined')
  const sets = noted.filter(({ key, text, mood }) => isNamed(key) && (text !== null || mood !== undefined))
  return { target, ...(many !== undefined && { many }), size: noted.length, sets }
}

/** All clients look at the same time, and not for each request: the rest is to be out of date. */
const LOOK_MS = 400
const seen = new Map<number | undefined, { readonly at: number; readonly known: Promise<Known> }>()

function lookNow(tenant: number | undefined): Promise<Known> {
  const last = seen.get(tenant)
  if (last !== undefined && Date.now() - last.at <= LOOK_MS) return last.known
  const known = look(tenant)
  seen.set(tenant, { at: Date.now(), known })
  return known
}

function isAction(path: string): boolean {
  return path.includes('/$act/')
}

/** Of a write by a filter. */
function isCount(json: JsonBody): boolean {
  return json.count !== undefined && json.id === undefined && json.rows === undefined
}

/** What is sent, and known of it: a client of another server may do so, too. */
interface Sending {
  readonly token: string
  readonly tenant: number | undefined
  readonly request: Pick<StormRequest, 'method' | 'path' | 'body' | 'resource' | 'headers'>
  readonly sets: Sent['sets']
  readonly isKeyed: boolean
}

async function send({ token, tenant, request, sets, isKeyed }: Sending): Promise<void> {
  const { method, path, body, resource } = request
  const sentAt = now()
  const answer = await app.inject({
    method,
    url: path,
    headers: { ...headersOf(token, tenant), ...request.headers, ...(isKeyed && { 'idempotency-key': token }) },
    ...(body !== undefined && { payload: body as JsonBody }),
  })
  const at = now()
  const json = answer.payload === '' ? undefined : answer.json()
  const isDone = answer.statusCode < 300 && json !== undefined
  const sentIds = new Set(sets.map(({ key }) => key))
  const shown: JsonBody[] = !isDone || isAction(path) || isCount(json) ? [] : (json.rows ?? [json])
  const bodies: JsonBody[] = Array.isArray(body) ? body : [body]
  const unshown =
    body === undefined ? [] : shown.flatMap((one, index) => unshownOf(model, resource, bodies[index] as JsonBody, one))
  const noted = shown.flatMap((one) => noteRecords(model, resource, one, sentIds))
  const records = method === 'POST' ? noted.map((one) => ({ ...one, isNew: true })) : noted
  const isUnknown = answer.statusCode === 500 && unknown.has(token)
  const { code } = json ?? {}
  const count = json !== undefined && isCount(json) ? json.count : undefined
  write({ line: 'answered', token, sentAt, at, status: answer.statusCode, code, count, isUnknown, records, unshown })
}

async function sendAgain(sending: Sending): Promise<void> {
  write({ line: 'sentAgain', token: sending.token })
  await send(sending)
}

let count = 0

async function client(tenant: number | undefined): Promise<void> {
  while (!isStopped) {
    const known = await lookNow(tenant)
    for (let times = 0; times < 3 && !isStopped; times++) {
      count += 1
      const token = `w${options.worker}.${count}.`
      const request = randomRequest(random, known, token)
      const { method, path, body, resource, removes, counts, to } = request
      const read = readBody(request)
      const isKeyed = (method === 'POST' || method === 'PATCH') && random.chance(0.3)
      const repeatable = isKeyed ? { resource, body: body as JsonBody } : undefined
      const ofTenant = tenant === undefined ? {} : { tenant }
      write({
        line: 'sent',
        token,
        ...ofTenant,
        method,
        path,
        at: now(),
        ...read,
        removes,
        ...(counts && { counts }),
        ...(to && { to }),
        ...(repeatable && { repeatable }),
      })
      const sending = { token, tenant, request, sets: read.sets, isKeyed }
      const isTwice = isKeyed && random.chance(0.2)
      await Promise.all([send(sending), ...(isTwice ? [sendAgain(sending)] : [])])
      if (isKeyed && random.chance(0.3)) await sendAgain(sending)
    }
    if (random.chance(0.2)) await repeatOthers(tenant)
    write({ line: 'retried', worker: options.worker, codes: retried })
  }
}

/** Requests of other servers that this one has sent, too. */
const repeated = new Set<string>()

/** Sends requests again whose answers other servers have not logged: these are at work, or were killed. */
async function repeatOthers(tenant: number | undefined): Promise<void> {
  const found = (await unanswered(options.log)).filter((one) => one.tenant === tenant && !repeated.has(one.token))
  for (const { token, method, path, sets, repeatable } of random.some(found, 3)) {
    if (isStopped || repeatable === undefined) return
    repeated.add(token)
    const request = { method: method as StormRequest['method'], path, ...repeatable }
    await sendAgain({ token, tenant, request, sets, isKeyed: true })
  }
}

await Promise.all(Array.from({ length: way.clients }, (_, index) => client(tenants[index % tenants.length])))
await app.close()
write({ line: 'closed', worker: options.worker })
await db.destroy()
process.exit()
