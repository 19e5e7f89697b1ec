import { Type } from '@sinclair/typebox'
import Fastify, { type FastifyInstance } from 'fastify'
import {
  type CrudOptions,
  createTables,
  crudPlugin,
  type DatabaseStores,
  type Databases,
  defineResources,
  ownedBy,
  owns,
  type Store,
} from 'fastify-crud'
import { afterEach, beforeEach } from 'vitest'
import type { Answer } from '../../../../../test/support/app.ts'
import type { OpenDatabase, TestDatabase } from '../../../../../test/support/databases.ts'
import type { TestKysely } from '../../../../../test/support/tables.ts'

export const resources = defineResources({
  list: { fields: { name: Type.String() }, unique: [['name']], relations: { items: owns.many('item') } },
  item: { fields: { text: Type.String() }, relations: { list: ownedBy('list') } },
})

interface Caller {
  readonly tenant: string
}

type Options = Omit<CrudOptions<typeof resources, Caller>, 'db' | 'resources'> & {
  readonly of?: Databases<Caller>['of']
  /** Runs behind the plugin's registration. */
  readonly behind?: (app: FastifyInstance) => void
}

interface LogLine {
  readonly level: number
  readonly msg: string
  readonly err?: { readonly message: string }
}

/** A service whose tenants each have a database of their own, which the header `x-tenant` names. */
export interface SeveralDatabases {
  readonly log: readonly LogLine[]
  /** The names of databases that the service has dropped. */
  readonly dropped: readonly string[]
  readonly app: FastifyInstance
  readonly crud: DatabaseStores<Store<typeof resources>>
  start(options?: Options): Promise<void>
  /** The database of a tenant, which is made without tables when it is first asked for. */
  open(tenant: string): Promise<OpenDatabase>
  /** The same, with its tables. */
  signUp(...tenants: readonly string[]): Promise<void>
  request(tenant: string, method: string, path: string, body?: unknown): Promise<Answer>
}

export function useSeveralDatabases(kind: TestDatabase): SeveralDatabases {
  let opened: Map<string, Promise<OpenDatabase>>
  let app: FastifyInstance | undefined
  let log: LogLine[] = []
  let dropped: string[] = []

  const open = (tenant: string) => {
    const known = opened.get(tenant) ?? kind.open()
    opened.set(tenant, known)
    return known
  }
  const nameOf = async (db: TestKysely) => {
    for (const [tenant, one] of opened) if ((await one).db === db) return tenant
    return 'unknown'
  }

  beforeEach(() => {
    opened = new Map()
    log = []
    dropped = []
  })
  afterEach(async () => {
    await app?.close()
    app = undefined
    for (const one of opened.values()) await (await one).close()
  })

  return {
    get log() {
      return log
    },
    get dropped() {
      return dropped
    },
    get app() {
      return app as FastifyInstance
    },
    get crud() {
      return app?.crud as never
    },
    async start({ of, behind, ...options } = {}) {
      const { db: model } = await open('the model')
      await createTables(model, resources)
      const stream = { write: (line: string) => void log.push(JSON.parse(line)) }
      app = Fastify({ logger: { level: 'warn', stream } })
      const registered: CrudOptions<typeof resources, Caller> = {
        db: {
          model,
          of: of ?? (async ({ tenant }) => (opened.has(tenant) ? (await open(tenant)).db : undefined)),
          dropped: async (db) => {
            dropped.push(await nameOf(db))
          },
        },
        resources,
        caller: ({ headers }) => ({ tenant: String(headers['x-tenant']) }),
        authorize: () => true,
        ...options,
      }
      await app.register(crudPlugin, registered)
      behind?.(app)
      await app.ready()
    },
    open,
    async signUp(...tenants) {
      for (const tenant of tenants) await createTables((await open(tenant)).db, resources)
    },
    async request(tenant, method, path, body) {
      const { statusCode, payload, headers } = await (app as FastifyInstance).inject({
        method: method as 'GET',
        url: path,
        headers: { 'x-tenant': tenant },
        ...(body !== undefined && { payload: body as object }),
      })
      return { status: statusCode, body: payload === '' ? undefined : JSON.parse(payload), headers }
    },
  }
}
