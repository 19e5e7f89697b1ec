/** The tree of shelves: each name with what is below it. */
export interface Shelf {
  readonly name: string
  readonly below?: readonly Shelf[]
}

export const shelves: readonly Shelf[] = [
  {
    name: 'Fiction',
    below: [
      { name: 'Novels', below: [{ name: 'Historical' }, { name: 'Contemporary' }] },
      { name: 'Crime', below: [{ name: 'Village mysteries' }, { name: 'Police' }] },
      { name: 'Poetry' },
      { name: 'Short stories' },
    ],
  },
  {
    name: 'Knowledge',
    below: [
      { name: 'Nature', below: [{ name: 'Plants' }, { name: 'Water' }] },
      { name: 'History', below: [{ name: 'Maps and travel' }] },
      { name: 'Health' },
    ],
  },
  { name: 'Hands', below: [{ name: 'Cooking', below: [{ name: 'Baking' }] }, { name: 'Wood' }] },
  { name: 'Young readers', below: [{ name: 'Picture books' }, { name: 'From eight years' }] },
]

export const series = [
  { title: 'The Marrow Lane Mysteries', finished: false, about: 'A retired clock-maker notices what others do not.' },
  { title: 'The Fen Quartet', finished: true, about: 'Four generations at the edge of the water.' },
  { title: 'Captain Button', finished: false, about: 'A very small captain and a very large bath.' },
  { title: 'Night Desk', finished: false, about: null },
  { title: 'Working Hands', finished: true, about: 'Short handbooks by people who do it for a living.' },
]

export const tags = [
  'slow burn',
  'sea',
  'rivers',
  'clocks',
  'small town',
  'big city',
  'family',
  'first novel',
  'prize winner',
  'illustrated',
  'recipes',
  'maps',
  'winter',
  'humour',
  'unreliable narrator',
  'translated',
  'read aloud',
  'gift',
  'night',
  'gardens',
]
