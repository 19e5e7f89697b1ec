import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openedSetups, setups } from '../../../../test/support/databases.ts'
import { isLong } from '../../../../test/support/is-long.ts'
import { report } from '../../../../test/support/report.ts'
import { seed } from '../../../../test/support/seed.ts'
import { archiveSubject } from './archive-subject.ts'
import { fuzz } from './fuzz.ts'
import { type FuzzService, openFuzzService } from './fuzz-service.ts'
import { textsOf, withIdsOf } from './mixed-ids.ts'
import { museumSubject } from './museum-subject.ts'
import { workshopSubject } from './workshop-subject.ts'

/*
 * Random requests, right and wrong, made from the OpenAPI document alone. FC_SEED makes the same choices again, and
 * FUZZ_REQUESTS says how many there are for each service on each setup of a database.
 */
const { FUZZ_REQUESTS = isLong ? '4000' : '250' } = process.env
const requests = Number(FUZZ_REQUESTS)

const mixedMuseum = withIdsOf(museumSubject, {
  donor: textsOf('a %'),
  expert: 'bigint',
  topic: 'text',
  item: 'uuid',
  label: ['item'],
  part: 'uuid',
  repair: 'bigint',
  folder: textsOf('f '),
})

const mixedArchive = withIdsOf(archiveSubject, {
  place: textsOf('p ~'),
  person: 'bigint',
  topic: 'text',
  piece: 'uuid',
  cover: ['piece'],
  note: ['number', 'piece'],
  loan: 'bigint',
  stamp: 'uuid',
  folder: 'uuid',
})

const mixedWorkshop = withIdsOf(workshopSubject, {
  tool: 'uuid',
  peg: textsOf('p '),
  kit: 'bigint',
  box: textsOf('b '),
})

const services = (isLong ? setups : openedSetups).flatMap((database) => [
  { title: `rights to resources, ${database.title}`, database, subject: museumSubject },
  { title: `policies, ${database.title}`, database, subject: archiveSubject },
  { title: `rights to resources, ids of many kinds, ${database.title}`, database, subject: mixedMuseum },
  { title: `policies, ids of many kinds, ${database.title}`, database, subject: mixedArchive },
  { title: `everyday work, ${database.title}`, database, subject: workshopSubject },
  { title: `everyday work, ids of many kinds, ${database.title}`, database, subject: mixedWorkshop },
])

describe.each(services)('whatever a client sends ($title)', ({ title, database, subject }) => {
  let service: FuzzService
  beforeAll(async () => {
    service = await openFuzzService(database, subject)
  })
  afterAll(() => service.close())

  test(
    'it gets and changes what it has a right to; the answer fits the document and names nothing of the database',
    async () => {
      report(`fuzzer on ${title}: FC_SEED=${seed}`)
      const counts = await fuzz(service, seed, requests)
      const lines = [...counts].sort().map(([key, count]) => `${key}: ${count}`)
      report(`fuzzer on ${title}: ${requests} requests; ${lines.join(', ')}`)
      const done = [...counts].filter(([key]) => / 2\d\d$/.test(key)).reduce((sum, [, count]) => sum + count, 0)
      expect(done).toBeGreaterThan(requests / 10)
    },
    60_000 + requests * 100,
  )
})
