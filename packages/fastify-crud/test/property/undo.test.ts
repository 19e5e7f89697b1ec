import { test } from 'vitest'
import { anySetting, checkProperty, PROPERTY_TIMEOUT } from './check-property.ts'
import { randomModel } from './random-model.ts'
import { randomRecipe } from './random-requests.ts'

// Each random write of a random model is undone, and then done again by undoing that. In the end, writes are undone in random
// order: each is refused exactly where later ones are in the way.

test(
  'an undo leaves the tables as they were, row by row, and is refused only where later writes are in the way',
  () =>
    checkProperty({
      models: randomModel,
      settings: anySetting.map((setting) => ({ ...setting, documented: false, undoes: true })),
      recipes: randomRecipe,
      accessFor: () => undefined,
      runs: { quick: 8, long: 200 },
    }),
  PROPERTY_TIMEOUT,
)
