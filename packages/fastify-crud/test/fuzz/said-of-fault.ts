import type { TestDatabase } from '../../../../test/support/databases.ts'
import { fuzz } from './fuzz.ts'
import { type Fault, type FuzzSubject, openFuzzService } from './fuzz-service.ts'

/** As many seeds may be needed: which requests a seed makes changes with the OpenAPI document. */
const MOST_SEEDS = 8

/**
 * What the fuzzer says of a service with a fault. A fault may also show in some other way, so there are more seeds until the fuzzer says what
 * it should.
 */
export async function saidOfFault(
  kind: TestDatabase,
  subject: FuzzSubject,
  fault: Fault,
  expected: RegExp,
): Promise<string> {
  const messages: string[] = []
  for (let seed = 1; seed <= MOST_SEEDS && !messages.some((message) => expected.test(message)); seed++) {
    const service = await openFuzzService(kind, subject, fault)
    messages.push(await fuzz(service, seed, 1_000).then(() => 'nothing', String))
    await service.close()
  }
  return messages.join('\n')
}
