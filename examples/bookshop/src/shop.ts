import type { Store } from '@fastify-crud/core'
import type { resources } from './resources.ts'

/** The store over this model: typed records and bodies, without HTTP. */
export type Shop = Store<typeof resources>
