import type { AnyKysely } from '@fastify-crud/core'
import type { Stores } from '@fastify-crud/core/internal'
import type { Authorize } from './access/authorize.ts'
import type { DatabasesInUse } from './databases/databases-in-use.ts'
import type { CallerOf, Limits, TenantOf } from './options.ts'
import type { Replica } from './replica/replica.ts'

/** What every handler of a registration works with. */
export interface Service {
  /** That of the model, where each tenant has one. */
  readonly db: AnyKysely
  /** Those in that database. */
  readonly stores: Stores
  readonly limits: Limits
  readonly prefix: string
  readonly caller: CallerOf | undefined
  readonly tenant: TenantOf | undefined
  readonly authorize: Authorize | undefined
  /** The hash of the model, which lists and errors carry; undefined where the service does not describe itself. */
  readonly modelHash: string | undefined
  /** Undefined where all is read from one server. */
  readonly replica: Replica | undefined
  /** Undefined where all records are in one database. */
  readonly databases: DatabasesInUse | undefined
}
