import { expect, test } from 'vitest'
import { anySetting, checkProperty, PROPERTY_TIMEOUT } from './check-property.ts'
import { randomModel } from './random-model.ts'
import { randomRecipe } from './random-requests.ts'
import { outOfOrder } from './undone-writes.ts'

// Each random write of a random model is undone, and then done again by undoing that. In the end, all writes are
// undone in random order: each undo does what the reference says, or is refused where that has a reason. FC_SEED is
// printed.

test(
  'undos in any order leave the tables as a reference has them, and are refused exactly where that has a reason',
  async () => {
    await checkProperty({
      models: randomModel,
      settings: anySetting.map((setting) => ({ ...setting, documented: false, undoes: true })),
      recipes: randomRecipe,
      accessFor: () => undefined,
      runs: { quick: 8, long: 200 },
    })
    process.stdout.write(`undone in random order: ${JSON.stringify(outOfOrder)}\n`)
    expect(outOfOrder.done).toBeGreaterThan(outOfOrder.ends)
    expect(outOfOrder.refused).toBeGreaterThan(0)
    expect(outOfOrder.ends).toBeGreaterThan(0)
  },
  PROPERTY_TIMEOUT,
)
