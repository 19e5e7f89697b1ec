import { beforeEach } from 'vitest'
import { type TestApp, useApp } from '../../../../../test/support/app.ts'
import type { TestDatabase } from '../../../../../test/support/databases.ts'
import { fillOffices, type Offices, officePolicies, offices } from '../models/offices.ts'
import { ada, asCaller, type Client, caller, type Policies } from './as-caller.ts'

interface OfficeTest {
  readonly service: TestApp
  /** What the tables hold at the start of each test. */
  readonly rows: Offices
  readonly ada: Client
}

/** A service over the offices, filled anew before each test. The policies given replace those of their resources. */
export function useOffices(kind: TestDatabase, policies: Policies = {}): OfficeTest {
  const service = useApp(kind, offices, { plugin: { caller, policies: { ...officePolicies, ...policies } } })
  const rows = {} as Offices
  beforeEach(async () => void Object.assign(rows, await fillOffices(service.db)))
  return { service, rows, ada: asCaller(service, ada) }
}
