import type { GuardedStore, Store } from '@fastify-crud/core'
import type { Caller } from './caller.ts'
import type { resources } from './resources.ts'

/** The store over this model: typed records and bodies, without HTTP. */
export type Shop = Store<typeof resources>

/** The same, of which each caller has what the policies allow. */
export type GuardedShop = GuardedStore<typeof resources, Caller>
