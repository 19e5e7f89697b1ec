import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { type CrudOptions, createTables, crudPlugin, defineResources, type Model } from 'fastify-crud'
import { CamelCasePlugin } from 'kysely'
import type { OpenDatabase, TestDatabase } from '../../../../test/support/databases.ts'
import { checkAgainstOpenApi, type OpenApiCheck } from '../../../../test/support/openapi.ts'
import { type PartitionWatch, watchPartitions } from '../../../../test/support/partition-watch.ts'
import { writesIn } from '../../../../test/support/statement-log.ts'
import type { DatabaseName } from '../../../../test/support/tables.ts'
import { buildActions } from './actions.ts'
import { withAllRelations } from './all-relations.ts'
import { buildPolicies } from './build-policies.ts'
import { compareEffects, readTables, toldByTables } from './effects-oracle.ts'
import type { SideIds } from './id-kinds.ts'
import { IdMap } from './id-map.ts'
import { TENANTS, WORKSPACE } from './in-tenants.ts'
import { isObject, type Json } from './json.ts'
import { makePlacesUnique } from './places.ts'
import { type Access, type Caller, NO_RECORD } from './policy-spec.ts'
import { ROLES } from './random-policies.ts'
import type { InTrash, Method, Request } from './reference-answer.ts'
import { MAX_ID, type RefModel } from './reference-model.ts'
import { type Address, isPathId, resourceAt } from './reference-path.ts'
import { linkToSide, toSide } from './translate.ts'
import { UndoneWrites } from './undone-writes.ts'

/** How a service is set up. */
export interface Setting {
  /** Compare every answer with the OpenAPI document: that takes most of the time. */
  readonly documented: boolean
  /** A Kysely instance with `CamelCasePlugin`. */
  readonly camelCase: boolean
  /** As the README sets it up, rather than as the driver comes. */
  readonly kept: boolean
  /** Which kinds of ids the resources have: see `idKindsOf`. Default: integers. */
  readonly ids?: number
  /** The records are those of two tenants; on PostgreSQL, `partitions`: in tables with partitions. Default: there are no tenants. */
  readonly tenants?: 'plain' | 'partitions' | undefined
  /** Resources have `softDelete`, if they can, and a trash. */
  readonly keepsDeleted?: boolean | 'in a trash'
  /** The tables have unique keys over owners and the places of their elements. */
  readonly uniquePlaces?: boolean
  /** Each write is previewed, and its effects are compared with what it does to the tables. */
  readonly previews?: boolean
  /** There is a history of all records, and each write is undone, and done again. */
  readonly undoes?: boolean
}

export interface SideAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Json | undefined
  /** The statements that wrote something. */
  readonly writes: readonly string[]
  /** What a preview of the write has answered. */
  readonly preview?: SideAnswer | undefined
}

/** The service on one of the databases. */
export class Side {
  readonly name: DatabaseName
  readonly database: OpenDatabase
  readonly ids: IdMap
  /** The requests so far, as they were sent to this one, and what was answered. */
  readonly log: string[]
  private readonly hasTrash: boolean
  /** Whose records they are: two sides of one database have records and ids of their own. */
  readonly tenant: number | undefined
  private readonly app: FastifyInstance
  /** The service for the system: without policies. */
  private readonly open: FastifyInstance
  /** The service for the system, of records that carry all of their relations; undefined if all records do so anyway. */
  private readonly whole: FastifyInstance | undefined
  private readonly openApi: OpenApiCheck
  private readonly watch: PartitionWatch | undefined
  private readonly model: Model
  private readonly previews: boolean
  private readonly undone: UndoneWrites | undefined
  private last: Previewed | undefined

  private constructor(
    database: OpenDatabase,
    app: FastifyInstance,
    open: FastifyInstance,
    whole: FastifyInstance | undefined,
    { openApi, watch, log, model, previews, undone }: Surroundings,
    ids: IdMap,
    tenant: number | undefined,
    hasTrash: boolean,
  ) {
    this.name = database.name
    this.database = database
    this.app = app
    this.open = open
    this.whole = whole
    this.ids = ids
    this.tenant = tenant
    this.hasTrash = hasTrash
    this.openApi = openApi
    this.watch = watch
    this.log = log
    this.model = model
    this.previews = previews
    this.undone = undone
  }

  /** A side for each of the tenants; `undefined`: the model has none. To close the first one closes all. */
  static async open(
    kind: TestDatabase,
    resources: Model,
    model: RefModel,
    access: Access | undefined,
    setting: Setting,
    kindOf?: (resource: string) => SideIds,
  ): Promise<readonly Side[]> {
    const { documented, camelCase, kept, tenants } = setting
    const plugins = camelCase ? [new CamelCasePlugin()] : []
    const database = await kind.open({ kept, plugins })
    const watch = await createTablesIn(database, resources, setting)
    if (setting.uniquePlaces) await makePlacesUnique(database.db, model, tenants !== undefined)
    const db = watch?.db ?? database.db
    const numbers = tenants === undefined ? [undefined] : [...TENANTS.keys()]
    const ids = numbers.map(() => new IdMap(kind.name, kindOf))
    const app = Fastify()
    const openApi = documented ? await checkAgainstOpenApi(app) : { misfits: [] }
    const system = {
      ...(hasRoles(model, resources) && { caller: () => ({ roles: ROLES }) }),
      ...(tenants !== undefined && { tenant: (_: unknown, { headers }: FastifyRequest) => TENANTS[numberIn(headers)] }),
    }
    const actions = buildActions(model) as never
    const whole = await openWhole(resources, { db, limits, ...system })
    let open = app
    if (access === undefined) {
      await app.register(crudPlugin, { db, resources, limits, actions, ...system })
    } else {
      const caller = ({ headers }: FastifyRequest): object => {
        const sender = access.callers[Number(headers['x-caller'])]
        if (sender === undefined) throw new Error('no such caller')
        return callerOf(sender, ids[numberIn(headers)] as IdMap)
      }
      const others = tenants === undefined ? {} : { [WORKSPACE]: false }
      const policies = { ...buildPolicies(model, access.policies), ...others }
      await app.register(crudPlugin, { db, resources, limits, actions, ...system, caller, policies })
      open = Fastify()
      await open.register(crudPlugin, { db, resources, limits, actions, ...system })
      await open.ready()
    }
    await app.ready()
    const undone = setting.undoes ? new UndoneWrites(database.db, resources, setting.uniquePlaces === true) : undefined
    const around = { openApi, watch, log: [], model: resources, previews: setting.previews === true, undone }
    const hasTrash = setting.keepsDeleted === 'in a trash'
    return numbers.map((number, index) => {
      return new Side(database, app, open, whole, around, ids[index] as IdMap, number, hasTrash)
    })
  }

  /** Sends a request with this database's ids in the place of the reference's. */
  async send(model: RefModel, request: Request): Promise<SideAnswer> {
    const { method, address, body, caller, link, trash, act } = request
    // Each write has a moment of its own.
    if (trash === undefined && method !== 'GET' && this.hasTrash) await setTimeout(2)
    this.ids.forgetUnknown()
    const resource = resourceAt(model, address)
    const isNew = method === 'POST'
    const bodyOf = (one: Json): Json =>
      link === undefined
        ? toSide(model, resource, one, this.ids, isNew, address.id !== undefined)
        : linkToSide(model, resource, link.name, one, this.ids)
    const sent = act !== undefined ? this.bodyOfAct(model, request) : body === undefined ? undefined : bodyOf(body)
    const url = urlOf(model, request, this.ids)
    const isPurge = trash === '$deleted' && method === 'DELETE'
    if (this.undone !== undefined && method !== 'GET' && !isPurge)
      return await this.undone.around(
        () => this.request(method, url, sent, caller),
        (undo) => this.request('POST', undo),
      )
    if (!this.previews || method === 'GET') return this.request(method, url, sent, caller)
    return this.previewed({ method, url, body: sent, caller })
  }

  /** Undoes all that was written on this database, by whichever side, in random order. */
  async undoAll(): Promise<void> {
    await this.undone?.inRandomOrder()
  }

  /** An action has bodies of its record within its own. */
  private bodyOfAct(model: RefModel, { address, body }: Request): Json | undefined {
    if (!isObject(body)) return body
    const resource = resourceAt(model, address)
    const entries = Object.entries(body).map(([name, one]) => [name, toSide(model, resource, one, this.ids)])
    return Object.fromEntries(entries)
  }

  /**
   * Previews a write before it is sent, compares what was told with what is done, and sends the write with the tag of the
   * preview. The preview before is looked at again: its tag is met if its effects are still the same.
   */
  private async previewed(write: SentWrite): Promise<SideAnswer> {
    const { db } = this.database
    const before = await readTables(db, this.model)
    if (this.last !== undefined) await this.checkLast(this.last)
    const preview = await this.sendWrite(write, PREVIEW)
    if (!isDeepStrictEqual(await readTables(db, this.model), before))
      throw new Error('expected that a preview does nothing')
    const tag = preview.headers['effects-tag']
    const answer = await this.sendWrite(write, tag === undefined ? {} : { 'effects-match': String(tag) })
    if (answer.status < 400 !== preview.status < 400)
      throw new Error(`expected a preview as the answer, ${answer.status}, but it is ${preview.status}`)
    if (answer.status < 400) {
      const after = await readTables(db, this.model)
      compareEffects(preview.body, toldByTables(before, after, this.model), this.model, write.caller === undefined)
      this.last = { write, preview }
    }
    return { ...answer, preview }
  }

  /** A write that was previewed before others were done: its tag is met exactly if it still does the same. */
  private async checkLast({ write, preview }: Previewed): Promise<void> {
    const now = await this.sendWrite(write, PREVIEW)
    if (now.status >= 400) return
    const tag = String(preview.headers['effects-tag'])
    const { status, body } = await this.sendWrite(write, { ...PREVIEW, 'effects-match': tag })
    const [told, then] = [now, preview].map((one) => (one.body as { readonly changes: Json }).changes)
    const isSame = isDeepStrictEqual(told, then)
    if (status < 400 !== isSame)
      throw new Error(`expected ${isSame ? 'a tag that is met' : '412'}, but it is ${status}`)
    const { effects } = body as { readonly effects?: { readonly changes: Json } }
    if (!isSame && !isDeepStrictEqual(effects?.changes, told)) throw new Error('expected the effects of now with a 412')
  }

  private async sendWrite({ method, url, body, caller }: SentWrite, headers: Headers): Promise<SideAnswer> {
    return await this.requestOf(caller === undefined ? this.open : this.app, method, url, body, caller, headers)
  }

  /** @throws Error if the answer does not fit the OpenAPI document. */
  request(method: Method, url: string, body?: Json, caller?: number): Promise<SideAnswer> {
    return this.requestOf(caller === undefined ? this.open : this.app, method, url, body, caller)
  }

  /** Whether answers show less of a record than {@link read}. */
  get showsLess(): boolean {
    return this.whole !== undefined
  }

  /** A record with all of its relations, as the system sees it. */
  read(url: string): Promise<SideAnswer> {
    return this.requestOf(this.whole ?? this.open, 'GET', url)
  }

  private async requestOf(
    app: FastifyInstance,
    method: Method,
    url: string,
    body?: Json,
    caller?: number,
    more: Headers = {},
  ): Promise<SideAnswer> {
    const { tenant } = this
    const by = `${tenant === undefined ? '' : `tenant ${tenant}: `}${caller === undefined ? '' : `caller ${caller}: `}`
    this.log.push(
      `${by}${Object.values(more)
        .map((value) => `(${value}) `)
        .join('')}${method} ${url} ${body === undefined ? '' : JSON.stringify(body)}`,
    )
    const headers = {
      ...(caller !== undefined && { 'x-caller': String(caller) }),
      ...(tenant !== undefined && { 'x-tenant': String(tenant) }),
      ...more,
    }
    const json = { headers: { ...headers, 'content-type': 'application/json' }, payload: JSON.stringify(body) }
    const answers: SideAnswer[] = []
    const statements = await this.database.statements.record(async () => {
      const {
        statusCode,
        headers: answered,
        payload,
      } = await app.inject({
        method,
        url,
        ...(body === undefined ? { headers } : json),
      })
      answers.push({
        status: statusCode,
        headers: answered,
        body: payload === '' ? undefined : JSON.parse(payload),
        writes: [],
      })
    })
    const [answer] = answers
    if (answer === undefined) throw new Error('no answer')
    this.log.push(`  ${answer.status} ${JSON.stringify(answer.body)}`)
    const [scattered] = (await this.watch?.take()) ?? []
    if (scattered !== undefined) throw new Error(`a statement touches more than one partition, by its ${scattered}`)
    const [misfit] = this.openApi.misfits
    if (misfit !== undefined) throw new Error(`an answer that is not documented: ${misfit}`)
    return { ...answer, writes: writesIn(statements) }
  }

  async close(): Promise<void> {
    await this.app.close()
    await this.open.close()
    await this.whole?.close()
    await this.watch?.close()
    await this.database.close()
  }
}

type Headers = Readonly<Record<string, string>>

const PREVIEW: Headers = { prefer: 'return=effects, tx=rollback' }

interface SentWrite {
  readonly method: Method
  readonly url: string
  readonly body: Json | undefined
  readonly caller: number | undefined
}

interface Previewed {
  readonly write: SentWrite
  readonly preview: SideAnswer
}

interface Surroundings {
  readonly openApi: OpenApiCheck
  readonly watch: PartitionWatch | undefined
  readonly log: string[]
  readonly model: Model
  readonly previews: boolean
  readonly undone: UndoneWrites | undefined
}

/** The number of the tenant whose request it is. */
function numberIn(headers: FastifyRequest['headers']): number {
  return Number(headers['x-tenant'] ?? 0)
}

/** Creates the tables, and the tenants. Returns what watches the partitions, if there are any. */
async function createTablesIn(
  database: OpenDatabase,
  resources: Model,
  { kept, camelCase, tenants }: Setting,
): Promise<PartitionWatch | undefined> {
  const { name, db } = database
  const hasPartitions = tenants === 'partitions' && name === 'postgres'
  await createTables(db, resources, { partitions: hasPartitions ? 4 : undefined })
  if (tenants !== undefined) {
    const rows = TENANTS.map((id) => ({ id }))
    await db.insertInto(WORKSPACE).values(rows).execute()
  }
  return hasPartitions
    ? watchPartitions(database, { kept, plugins: camelCase ? [new CamelCasePlugin()] : [] })
    : undefined
}

/** The reference does not reckon what a filter costs. */
const limits = { maxCost: 10_000 }

async function openWhole(
  { descriptors, tenant }: Model,
  options: Omit<CrudOptions, 'resources'>,
): Promise<FastifyInstance | undefined> {
  const all = withAllRelations(descriptors)
  if (Object.entries(all).every(([key, one]) => one === descriptors[key])) return undefined
  const app = Fastify()
  await app.register(crudPlugin, { ...options, resources: defineResources(all, tenant && { tenant }) })
  await app.ready()
  return app
}

/** Whether there are fields, computed or not, that only some roles may see. */
function hasRoles({ resources }: RefModel, { descriptors }: Model): boolean {
  const computed = Object.values(descriptors).flatMap((one) => Object.values(one.computed ?? {}))
  const isLimited = [...resources.values()].some(({ fields }) => fields.some(({ viewers }) => viewers !== undefined))
  return isLimited || computed.some(({ access }) => access !== undefined)
}

/** The path and the query of a request, with the ids of that side. */
export function urlOf(model: RefModel, { method, address, query, link, trash, act }: Request, ids: IdMap): string {
  const search = Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : ''
  if (act !== undefined) return `${pathOf(model, address, ids)}/$act/${act}${search}`
  if (trash !== undefined) return trashPath(model, address, trash, ids) + search
  const path = pathOf(model, address, ids, method === 'POST')
  const target = resourceAt(model, address).links.find(({ name }) => name === link?.name)?.target
  if (link === undefined || target === undefined) return path + search
  return `${path}/${link.name}/${encodeURIComponent(ids.toSide(target, link.id))}${search}`
}

function trashPath(model: RefModel, address: Address, trash: InTrash, ids: IdMap): string {
  const record = pathOf(model, address, ids)
  if (trash === '$restore') return `${record}/$restore`
  const collection = pathOf(model, { ...address, id: undefined }, ids)
  return `${collection}/$deleted${record.slice(collection.length)}`
}

/** The path of an address, with the ids of that side. `isNew`: of a record that is to be made. */
export function pathOf(model: RefModel, address: Address, ids: IdMap, isNew = false): string {
  const { owners } = address
  const all = [...owners, address].map(({ segment, id }, index) => ({
    segment,
    id,
    resource: resourceAt(model, { owners: owners.slice(0, index), segment }),
  }))
  const parts = all.flatMap(({ segment, id, resource }, index) => {
    if (id === undefined) return [segment]
    const kind = ids.kindOf(resource.key)
    if (!isPathId(id)) return [segment, encodeURIComponent(kind.malformed(String(id)))]
    const isChosen = isNew && index === owners.length
    // Such an id cannot be chosen, of whatever kind. Where it has to be the owner's, it is another one.
    if (isChosen && Number(id) > MAX_ID) return [segment, encodeURIComponent('$too high')]
    const above = isChosen && kind.below === "the owner's ids" ? all[index - 1] : undefined
    const named = above !== undefined && isPathId(above.id ?? '') ? above : { id, resource }
    // Digits are an id that no record has, unless they are a record's.
    return [segment, encodeURIComponent(ids.toSide(named.resource.key, Number(named.id)))]
  })
  return `/api/${parts.join('/')}`
}

/** What the service is told of a caller, with the ids of that side. */
function callerOf({ roles, values }: Caller, ids: IdMap): object {
  const known = Object.entries(values).map(([name, { value, idOf }]) => {
    if (idOf === undefined) return [name, value]
    const id = Number(value)
    return [name, ids.toSide(idOf, ids.hasReference(idOf, id) ? id : NO_RECORD)]
  })
  return { ...Object.fromEntries(known), roles }
}
