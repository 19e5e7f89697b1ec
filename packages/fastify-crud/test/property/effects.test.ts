import { test } from 'vitest'
import { anySetting, checkProperty, PROPERTY_TIMEOUT } from './check-property.ts'
import { randomModel } from './random-model.ts'
import { randomAccess } from './random-policies.ts'
import { randomRecipe } from './random-requests.ts'

// Each random write is previewed before it is sent. Its effects say what the write does to the tables, and nothing of what
// the caller does not see. It is done with the tag of the preview. After others, the tag is met exactly if the write still
// does the same.

test(
  'effects of a preview say what the write does, and `Effects-Match` lets through what still does the same',
  () =>
    checkProperty({
      models: randomModel,
      settings: anySetting.map((setting) => ({ ...setting, documented: false, previews: true })),
      recipes: randomRecipe,
      accessFor: (model, tape) => (tape.once(2) ? undefined : randomAccess(model, tape)),
      runs: { quick: 8, long: 200 },
    }),
  PROPERTY_TIMEOUT,
)
