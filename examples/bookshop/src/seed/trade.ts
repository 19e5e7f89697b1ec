/** Contracts by the book they are about. */
export const contracts = [
  {
    book: 'The Salt Ledger',
    signedOn: '2011-03-30',
    royalty: 7.5,
    advance: '6000.00',
    terms: { film: 'author', territories: ['GB', 'IE'] },
  },
  { book: 'The Drowned Acre', signedOn: '2016-06-01', royalty: 8, advance: '14500.00', terms: { film: 'shared' } },
  { book: 'Peat', signedOn: '2020-02-17', royalty: 10, advance: '25000.00', terms: null },
  { book: 'Nine Stops to Morden', signedOn: '2014-09-22', royalty: 7.5, advance: '4000.00', terms: null },
  {
    book: 'Leeward',
    signedOn: '2007-12-03',
    royalty: 9,
    advance: '18000.00',
    currency: 'EUR' as const,
    terms: ['translation by agreement', 42],
  },
  { book: 'The Clock That Ran Backwards', signedOn: '2013-11-11', royalty: 6, advance: '3500.00', terms: null },
  { book: 'Nobody Winds the Tower', signedOn: '2015-08-19', royalty: 8.25, advance: '9000.00', terms: { audio: true } },
  {
    book: 'Below the Sea',
    signedOn: '2010-01-05',
    royalty: 11.5,
    advance: '7500.00',
    currency: 'EUR' as const,
    terms: null,
  },
  {
    book: 'Where the Map Ends',
    signedOn: '2012-05-24',
    royalty: 9.5,
    advance: '20000.00',
    currency: 'USD' as const,
    terms: 'see letter of 3 May',
  },
  { book: 'Dough', signedOn: '2017-03-02', royalty: 8, advance: '2500.00', terms: { photographs: 'house' } },
  {
    book: 'Captain Button Sets Sail',
    signedOn: '2015-10-27',
    royalty: 5,
    advance: '5000.00',
    terms: { split: [0.5, 0.5] },
  },
  { book: 'The Great Marble Robbery', signedOn: '2024-04-15', royalty: 7, advance: '1800.00', terms: null },
]

export const boxSets = [
  {
    title: 'Marrow Lane: the first three',
    price: '24.00',
    limited: false,
    volumes: ['The Clock That Ran Backwards', 'A Short Weight of Sugar', 'Nobody Winds the Tower'],
  },
  {
    title: 'The Fen Quartet, in linen',
    price: '65.00',
    limited: true,
    volumes: ['The Salt Ledger', 'Windpump', 'The Drowned Acre', 'Peat'],
  },
  {
    title: 'Captain Button’s Bath Library',
    price: '19.99',
    limited: false,
    volumes: ['Captain Button Sets Sail', 'Captain Button and the Sponge of Doom'],
  },
  {
    title: 'Three Trades',
    price: '39.00',
    limited: false,
    volumes: ['Dough', 'Spoon, Stool, Shelf', 'Soup for Eleven'],
  },
]

/** Books that are shown beside each other, both ways. */
export const relatedBooks = [
  ['The Salt Ledger', 'Below the Sea'],
  ['The Surveyor’s Daughter', 'Where the Map Ends'],
  ['Leeward', 'The Ferryman’s Receipts'],
  ['Nine Stops to Morden', 'Page Seven'],
  ['Dough', 'A Short Weight of Sugar'],
  ['Three in the Morning', 'Captain Button Is Not Tired'],
] as const
