import type { CrudOptions } from 'fastify-crud'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openedSetups, type TestDatabase } from '../../../../../test/support/databases.ts'
import { isLong } from '../../../../../test/support/is-long.ts'
import { report } from '../../../../../test/support/report.ts'
import { seed } from '../../../../../test/support/seed.ts'
import type { Caller } from '../../fuzz/callers.ts'
import { type FuzzService, openFuzzService } from '../../fuzz/fuzz-service.ts'
import { textsOf, withIdsOf } from '../../fuzz/mixed-ids.ts'
import { fuzzTenants } from './fuzz-tenants.ts'
import { FIRMS, tenantSubject } from './tenant-subject.ts'

/*
 * Random requests of three tenants, made from the OpenAPI document. Each text says whose it is. FC_SEED makes the same choices again, and
 * FUZZ_REQUESTS says how many requests there are on each database.
 */
const { FUZZ_REQUESTS = isLong ? '30000' : '300' } = process.env
const requests = Number(FUZZ_REQUESTS)

/** Several tenants have the same ids. */
const mixedSubject = withIdsOf(tenantSubject, {
  place: 'text',
  person: 'text',
  topic: 'text',
  piece: textsOf('p ~'),
  cover: ['piece'],
  note: ['number', 'piece'],
  loan: 'bigint',
  stamp: 'uuid',
  folder: 'uuid',
})

const services = openedSetups.flatMap((database) => [
  { title: database.title, database, subject: tenantSubject, share: 0.5 },
  { title: `ids of many kinds, ${database.title}`, database, subject: mixedSubject, share: 0.5 },
  ...(database.name === 'postgres'
    ? [{ title: `partitions, ${database.title}`, database, subject: { ...mixedSubject, partitions: 4 }, share: 0.2 }]
    : []),
])

describe.each(services)('whatever tenants send ($title)', ({ title, database, subject, share }) => {
  const count = Math.ceil(requests * share)
  let service: FuzzService
  beforeAll(async () => {
    service = await openFuzzService(database, subject)
  })
  afterAll(() => service.close())

  test(
    'none gets or changes anything of another one',
    async () => {
      report(`fuzzer of tenants, ${title}: FC_SEED=${seed}`)
      const counts = await fuzzTenants(service, seed, count)
      report(
        `fuzzer of tenants, ${title}: ${[...counts]
          .sort()
          .map(([key, times]) => `${key}: ${times}`)
          .join(', ')}`,
      )
      const done = [...counts].filter(([key]) => / 2\d\d$/.test(key)).reduce((sum, [, times]) => sum + times, 0)
      expect(done).toBeGreaterThan(count / 20)
    },
    60_000 + count * 200,
  )
})

/** Services that take some requests for those of another tenant. */
const faults = [
  {
    title: 'a read of another tenant',
    methods: ['GET', 'HEAD'],
    found: /north(?: clerk)? gets mk-\w+(?:\.\w+)?-south-/,
  },
  { title: 'a write for another tenant', methods: ['POST', 'PUT', 'PATCH'], found: /a row of 21{7}-\S+ has changed/ },
]

test.each(faults)('$title is found', async ({ methods, found }) => {
  const sqlite = openedSetups[0] as TestDatabase
  const tenant: CrudOptions['tenant'] = (caller, { method, url }) => {
    const { org } = caller as Caller
    // A POST that only reads.
    const isRead = /\/\$(list|group)\b/.test(url)
    return FIRMS.get(org === 'north' && methods.includes(isRead ? 'GET' : method) ? 'south' : org)
  }
  // What a round begins with is written by each of them.
  let isFurnished = false
  const options: Partial<CrudOptions> = {
    tenant: (caller, request) => (isFurnished ? tenant(caller, request) : FIRMS.get((caller as Caller).org)),
  }
  const furnish: typeof tenantSubject.furnish = async (add, mark) => {
    isFurnished = false
    await tenantSubject.furnish(add, mark)
    isFurnished = true
  }
  const service = await openFuzzService(sqlite, { ...tenantSubject, furnish }, { options })
  try {
    await expect(fuzzTenants(service, seed, 2_000)).rejects.toThrow(found)
  } finally {
    await service.close()
  }
})
