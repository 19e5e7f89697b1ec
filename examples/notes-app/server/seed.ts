import { type AnyKysely, createStore } from 'fastify-crud'
import { resources } from './model.ts'

/** Fills an empty database. */
export async function seed(db: AnyKysely): Promise<void> {
  const now = new Date().toISOString()
  const written = { createdAt: now, updatedAt: now }
  const store = createStore({ db, resources })
  if ((await store.notebook.list({ fields: ['name'], limit: 1 })).count > 0) return
  const tag = async (name: string) => ({ id: (await store.tag.create({ name })).id })
  const [idea, recipe, soon] = [await tag('idea'), await tag('recipe'), await tag('soon')]
  await store.notebook.create({
    name: 'Kitchen',
    notes: [
      {
        ...written,
        title: 'Rye bread',
        text: '500 g rye, 400 g water, 100 g sourdough, 12 g salt.\n\nMix in the evening, bake in the morning: 15 minutes at 250 °C, 45 minutes at 200 °C.',
        pinned: true,
        tags: [recipe],
      },
      {
        ...written,
        title: 'Lentil soup',
        text: 'Onions, carrots, cumin. A little vinegar at the end.',
        tags: [recipe, soon],
      },
      { ...written, title: 'What is in season', text: 'June: strawberries, peas, new potatoes.', tags: [] },
    ],
  })
  await store.notebook.create({
    name: 'Garden',
    notes: [
      { ...written, title: 'Seeds to order', text: 'Sunflowers\nKale\nBorlotti beans', pinned: true, tags: [soon] },
      {
        ...written,
        title: 'A bench under the pear tree',
        text: 'Larch, 150 cm. Ask Ida for her drawing.',
        tags: [idea],
      },
    ],
  })
  await store.notebook.create({
    name: 'Reading',
    notes: [
      {
        ...written,
        title: 'Books that others have lent me',
        text: 'The Summer Book (from Tove), Stoner (from John)',
        tags: [],
      },
      { ...written, title: 'A diary of first sentences', text: 'One a day, by hand.', tags: [idea] },
    ],
  })
}
