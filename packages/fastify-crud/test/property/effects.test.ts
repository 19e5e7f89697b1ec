import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLong } from '../../../../test/support/is-long.ts'
import { seed } from '../../../../test/support/seed.ts'
import { randomModel } from './random-model.ts'
import { randomAccess } from './random-policies.ts'
import { randomRecipe, toRequest } from './random-requests.ts'
import { readDescriptors } from './reference-model.ts'
import { Difference, runCase, type World } from './run-case.ts'
import { Tape } from './tape.ts'

// Each random write is previewed before it is sent. Its effects say what the write does to the tables, and nothing of
// what the caller does not see.

const { FC_SEED, FC_PATH, FC_RUNS } = process.env
const RUNS = Number(FC_RUNS ?? (isLong ? 200 : 10))
const TIMEOUT = 600_000

const setting = fc.record({
  documented: fc.constant(false),
  camelCase: fc.nat(5).map((number) => number === 5),
  kept: fc.boolean(),
  ids: fc.nat(9),
  tenants: fc.constantFrom(undefined, undefined, 'plain' as const),
  keepsDeleted: fc.boolean(),
  previews: fc.constant(true),
})
const sequence = fc.array(randomRecipe, { minLength: 20, maxLength: 50, size: 'max' })
const choices = fc.array(fc.nat(9999), { minLength: 50, maxLength: 300, size: 'max' })

const property = fc.asyncProperty(randomModel, setting, choices, sequence, async (descriptors, of, drawn, recipes) => {
  const tape = new Tape(drawn)
  const access = tape.once(2) ? undefined : randomAccess(readDescriptors(descriptors), tape)
  const next = (worlds: readonly World[], index: number) => {
    const recipe = recipes[index]
    const tenant = (recipe?.tenant ?? 0) % worlds.length
    const { reference, freshId } = worlds[tenant] as World
    return recipe && { ...toRequest(reference, recipe, freshId, access?.callers.length), tenant }
  }
  await runCase(descriptors, of, access, next, new Map())
})

test('effects of a preview say what the write does, on SQLite and on PostgreSQL', { timeout: TIMEOUT }, async () => {
  const { failed, counterexamplePath, errorInstance } = await fc.check(property, {
    seed: Number(FC_SEED ?? seed),
    numRuns: RUNS,
    endOnFailure: true,
    ...(FC_PATH !== undefined && { path: FC_PATH }),
  })
  if (!failed) return
  const replay = `FC_SEED=${FC_SEED ?? seed} FC_PATH=${counterexamplePath} shows it again.`
  const story = errorInstance instanceof Difference ? errorInstance.story : String((errorInstance as Error).stack)
  expect.fail(`${replay}\n\n${story}`)
})
