import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLong } from '../../../../test/support/is-long.ts'
import { report } from '../../../../test/support/report.ts'
import { randomSeed, seed } from '../../../../test/support/seed.ts'
import { randomAccess } from '../property/random-policies.ts'
import { Reference } from '../property/reference.ts'
import { showDescriptors } from '../property/show-descriptors.ts'
import { Tape } from '../property/tape.ts'
import { type Feature, features } from './features.ts'
import { withOrderedIds } from './ordered-ids.ts'
import { computesDecimals } from './random-computed.ts'
import { randomReadingModel } from './random-reading-model.ts'
import { randomRecords } from './random-records.ts'
import { randomStep } from './random-step.ts'
import { ReadingDifference } from './reading-difference.ts'
import { readingModelOf } from './reading-model.ts'
import type { ReadingStep } from './reading-step.ts'
import { reduceReading } from './reduce-reading.ts'
import { type Counts, type ReadingCase, runReading } from './run-reading.ts'
import { showComputed } from './show-computed.ts'

/*
 * Random models, records and queries, against a reference that is written from the documentation alone and looks at all records
 * in memory.
 *
 * FC_SEED and FC_PATH replay a failure, FC_RUNS says how many cases there are, FC_MINUTES goes on with one seed after the other
 * until the time is up, and FC_FEATURES names those that queries may have, with commas between them.
 */
const { FC_SEED, FC_PATH, FC_RUNS, FC_MINUTES, FC_FEATURES } = process.env

const RUNS = Number(FC_RUNS ?? (isLong ? 400 : 10))
const STEPS = { minLength: 80, maxLength: 160 }
/** No case begins later than that. With `FC_MINUTES` only, it is the time that ends it. */
const SECONDS = FC_MINUTES === undefined ? 1_200 : Number(FC_MINUTES) * 60
const SECONDS_TO_REDUCE = FC_MINUTES === undefined && FC_SEED === undefined ? 60 : 240
const enabled: ReadonlySet<Feature> = new Set(
  features.filter((feature) => FC_FEATURES === undefined || FC_FEATURES.split(',').includes(feature)),
)

const end = Date.now() + SECONDS * 1000
const counts: Counts = new Map()
let cases = 0
let failing: ReadingCase | undefined

const numbers = (minLength: number, maxLength: number): fc.Arbitrary<number[]> =>
  fc.array(fc.nat(9999), { minLength, maxLength, size: 'max' })
const setting = fc.record({
  documented: fc.constant(false),
  camelCase: fc.nat(7).map((number) => number === 7),
  kept: fc.nat(3).map((number) => number < 3),
  // Half of the models have integers only.
  ids: fc.nat(23).map((number) => Math.max(0, number - 11)),
  tenants: fc.constantFrom(undefined, undefined, 'plain' as const, 'partitions' as const),
})
const sequence = fc.array(numbers(10, 120), { ...STEPS, size: 'max' })

const property = fc.asyncProperty(
  numbers(200, 900),
  numbers(500, 3000),
  setting,
  sequence,
  async (forModel, forRecords, chosen, forSteps) => {
    if (FC_SEED === undefined && Date.now() > end) return
    const tape = new Tape(forModel)
    const descriptors = randomReadingModel(tape, enabled)
    const { records } = readingModelOf(descriptors)
    const setting = { ...chosen, kept: chosen.kept || computesDecimals(descriptors) }
    const access = tape.once(2) ? randomAccess(records, tape) : undefined
    const requests = randomRecords(new Reference(records), new Tape(forRecords))
    const steps: ReadingStep[] = []
    cases += 1
    try {
      await runReading(
        { descriptors, setting, access, features: enabled, requests },
        (seenBy, index) => {
          const numbers = forSteps[index]
          if (numbers === undefined) return undefined
          const caller = access === undefined || index % 4 === 0 ? undefined : index % access.callers.length
          const step = randomStep({ caller, ...seenBy(caller) }, numbers, enabled)
          steps.push(step)
          return step
        },
        counts,
      )
    } catch (error) {
      if (error instanceof ReadingDifference)
        failing = { descriptors, setting, access, features: enabled, requests, steps }
      throw error
    }
  },
)

const COMMAND = 'npx --yes pnpm@10 test packages/fastify-crud/test/property-reading/reading.test.ts'

/** What the command has to be told to run the same cases again. */
function settingsFor(seed: number): string {
  return `FC_SEED=${seed} FC_FEATURES=${[...enabled].join()}`
}

/** Runs the property with one seed; what it returns says what went wrong, and how to see it again. */
async function failureOf(seed: number): Promise<string | undefined> {
  const { failed, counterexamplePath, errorInstance } = await fc.check(property, {
    seed,
    numRuns: RUNS,
    endOnFailure: true,
    ...(FC_PATH === undefined ? {} : { path: FC_PATH }),
  })
  if (!failed) return undefined
  const replay = `${settingsFor(seed)} FC_PATH=${counterexamplePath} ${COMMAND}`
  if (failing === undefined) throw new Error(replay, { cause: errorInstance })
  const { reduced, difference } = await reduceReading(failing, SECONDS_TO_REDUCE)
  const { setting, access } = reduced
  const { idsOf } = readingModelOf(reduced.descriptors, undefined, setting.ids)
  const told = [setting, access].map((one) => JSON.stringify(one)).join('\n')
  return `${replay}\n\n${told}\n${showDescriptors(withOrderedIds(reduced.descriptors, idsOf), showComputed)}\n\n${difference.story}`
}

test(
  'what is read is what the reference finds, on SQLite and on PostgreSQL',
  async () => {
    let drawn = seed
    do {
      report(`property test of reading: ${settingsFor(drawn)} ${COMMAND}`)
      const failure = await failureOf(drawn)
      if (failure !== undefined) expect.fail(failure)
      drawn = randomSeed()
    } while (FC_MINUTES !== undefined && FC_SEED === undefined && Date.now() < end)
    const asked = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const lines = [...counts].sort().map(([key, count]) => `  ${key}: ${count}`)
    report(`property test of reading: ${cases} cases, ${asked} queries\n${lines.join('\n')}`)
  },
  (SECONDS + SECONDS_TO_REDUCE + 60) * 1000,
)
