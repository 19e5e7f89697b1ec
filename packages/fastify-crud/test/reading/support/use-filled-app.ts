import type { Model } from '@fastify-crud/core'
import { afterAll, beforeAll } from 'vitest'
import { type AppOptions, buildApp, type TestApp } from '../../../../../test/support/app.ts'
import type { TestDatabase } from '../../../../../test/support/databases.ts'
import type { TestKysely } from '../../../../../test/support/tables.ts'

/** A service for all tests of a `describe`, filled once, before them. */
export function useFilledApp(
  kind: TestDatabase,
  resources: Model,
  options: AppOptions,
  fill: (db: TestKysely) => Promise<void>,
): TestApp {
  let current: TestApp | undefined
  beforeAll(async () => {
    current = await buildApp(kind, resources, options)
    await fill(current.db)
  })
  afterAll(() => current?.close())
  return new Proxy({} as TestApp, {
    get(_, name) {
      if (current === undefined) throw new Error('the service is there only while tests run')
      return current[name as keyof TestApp]
    },
  })
}
