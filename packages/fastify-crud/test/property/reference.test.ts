import { test } from 'vitest'
import { anySetting, checkProperty, PROPERTY_TIMEOUT } from './check-property.ts'
import { randomModel } from './random-model.ts'
import { randomAccess } from './random-policies.ts'
import { randomRecipe } from './random-requests.ts'

test(
  'the service does what the reference does, on SQLite and on PostgreSQL',
  async () => {
    await checkProperty({
      models: randomModel,
      settings: anySetting,
      recipes: randomRecipe,
      accessFor: (model, tape) => (tape.once(3) ? undefined : randomAccess(model, tape)),
      runs: { quick: 16, long: 400 },
    })
  },
  PROPERTY_TIMEOUT,
)
