import type { Model } from '@fastify-crud/core'
import type { TestApp } from '../../support/app.ts'
import type { Request } from '../../support/servers.ts'

/** Two requests that have to do with the same records. */
export interface Pair {
  readonly title: string
  readonly model: Model
  /** Makes what is there before, and the two requests. */
  prepare(service: TestApp): Promise<readonly [Request, Request]>
}
