import fc from 'fast-check'
import type { Descriptors } from 'fastify-crud'
import { expect } from 'vitest'
import { isLong } from '../../../../test/support/is-long.ts'
import { randomSeed, seed } from '../../../../test/support/seed.ts'
import type { Access } from './policy-spec.ts'
import { type Recipe, toRequest } from './random-requests.ts'
import { reduceCase } from './reduce-case.ts'
import type { Request } from './reference-answer.ts'
import { type RefModel, readDescriptors } from './reference-model.ts'
import { type Counts, Difference, runCase, type World } from './run-case.ts'
import { showDescriptors } from './show-descriptors.ts'
import type { Setting } from './side.ts'
import type { Case } from './smaller-cases.ts'
import { Tape } from './tape.ts'

/*
 * Models and random requests, against a reference written from the documentation alone.
 *
 * FC_SEED and FC_PATH replay a failure, FC_RUNS says how many cases there are, and FC_MINUTES goes on with one seed
 * after the other until the time is up.
 */
const { FC_SEED, FC_PATH, FC_RUNS, FC_MINUTES } = process.env

const STEPS = { minLength: 20, maxLength: 60 }
/** With `FC_MINUTES` only, it is the time that ends it. */
const SECONDS = FC_MINUTES === undefined ? 1_200 : Number(FC_MINUTES) * 60
const SECONDS_TO_REDUCE = FC_MINUTES === undefined && FC_SEED === undefined ? 60 : 240

/** What a test may take. */
export const PROPERTY_TIMEOUT = (SECONDS + SECONDS_TO_REDUCE + 60) * 1000

/** What is drawn. */
export interface Drawn {
  readonly models: fc.Arbitrary<Descriptors>
  readonly settings: fc.Arbitrary<Setting>
  readonly recipes: fc.Arbitrary<Recipe>
  /** Policies and callers, if there are some. */
  accessFor(model: RefModel, tape: Tape): Access | undefined
  /** How many cases there are by default. */
  readonly runs: { readonly quick: number; readonly long: number }
}

const choices = fc.array(fc.nat(9999), { minLength: 50, maxLength: 300, size: 'max' })

/** Fails where the service, on SQLite or on PostgreSQL, does not do what the reference does. */
export async function checkProperty({ models, settings, recipes, accessFor, runs }: Drawn): Promise<void> {
  const counts: Counts = new Map()
  let cases = 0
  let failing: Case | undefined
  const sequence = fc.array(recipes, { ...STEPS, size: 'max' })
  const property = fc.asyncProperty(
    models,
    settings,
    choices,
    sequence,
    async (descriptors, setting, choices, recipes) => {
      const access = accessFor(readDescriptors(descriptors), new Tape(choices))
      const requests: Request[] = []
      cases += 1
      try {
        await runCase(
          descriptors,
          setting,
          access,
          (worlds, index) => {
            const recipe = recipes[index]
            const tenant = (recipe?.tenant ?? 0) % worlds.length
            const { reference, freshId } = worlds[tenant] as World
            const request = recipe && { ...toRequest(reference, recipe, freshId, access?.callers.length), tenant }
            if (request !== undefined) requests.push(request)
            return request
          },
          counts,
        )
      } catch (error) {
        if (error instanceof Difference) failing = { descriptors, setting, access, requests }
        throw error
      }
    },
  )

  /** Runs the property with one seed; what it returns says what went wrong, and how to see it again. */
  const failureOf = async (drawn: number, seconds: number): Promise<string | undefined> => {
    const { failed, counterexamplePath, errorInstance } = await fc.check(property, {
      seed: drawn,
      numRuns: Number(FC_RUNS ?? (isLong ? runs.long : runs.quick)),
      endOnFailure: true,
      interruptAfterTimeLimit: seconds * 1000,
      markInterruptAsFailure: false,
      ...(FC_PATH === undefined ? {} : { path: FC_PATH }),
    })
    if (!failed) return undefined
    const replay = `FC_SEED=${drawn} FC_PATH=${counterexamplePath} shows it again.`
    if (failing === undefined) throw new Error(replay, { cause: errorInstance })
    const { reduced, difference } = await reduceCase(failing, SECONDS_TO_REDUCE)
    const { setting, access } = reduced
    const told = [setting, access].map((one) => JSON.stringify(one)).join('\n')
    return `${replay}\n\n${told}\n${showDescriptors(reduced.descriptors)}\n\n${difference.story}`
  }

  const end = Date.now() + SECONDS * 1000
  let drawn = seed
  do {
    process.stdout.write(`property test: FC_SEED=${drawn}\n`)
    const failure = await failureOf(drawn, Math.max(1, (end - Date.now()) / 1000))
    if (failure !== undefined) expect.fail(failure)
    drawn = randomSeed()
  } while (FC_MINUTES !== undefined && FC_SEED === undefined && Date.now() < end)
  const requests = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const lines = [...counts].sort().map(([key, count]) => `  ${key}: ${count}`)
  process.stdout.write(`property test: ${cases} cases, ${requests} requests\n${lines.join('\n')}\n`)
}

const seldom = fc.nat(5).map((number) => number === 5)

/** How services are set up. */
export const anySetting: fc.Arbitrary<Setting> = fc.record({
  documented: seldom,
  camelCase: seldom,
  kept: fc.boolean(),
  ids: fc.nat(9),
  tenants: fc.constantFrom(undefined, undefined, 'plain' as const, 'partitions' as const),
  keepsDeleted: fc.constantFrom(false, false, true, 'in a trash' as const, 'in a trash' as const),
  uniquePlaces: seldom,
})
