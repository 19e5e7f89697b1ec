/** Four houses; the first office of each is its headquarters. */
export const publishers = [
  {
    name: 'Lanternfield Press',
    foundedOn: '1974-03-01',
    website: 'https://lanternfield.example',
    readsManuscripts: true,
    offices: [
      {
        street: '14 Tanner Row',
        postcode: 'YO1 6JB',
        city: 'York',
        country: 'GB',
        location: { latitude: 53.9585, longitude: -1.0877 },
      },
      { street: '9 Leith Walk', postcode: 'EH6 8LN', city: 'Edinburgh', country: 'GB' },
    ],
    warehouses: [{ street: 'Unit 4, Ouse Park', postcode: 'YO19 4RR', city: 'Selby', country: 'GB' }],
  },
  {
    name: 'Kestrel & Dunn',
    foundedOn: '1921-10-17',
    website: 'https://kestreldunn.example',
    readsManuscripts: false,
    offices: [
      {
        street: '27 Museum Street',
        postcode: 'WC1A 1LH',
        city: 'London',
        country: 'GB',
        location: { latitude: 51.5181, longitude: -0.1253 },
      },
      { street: '310 Hudson Street', postcode: '10013', city: 'New York', country: 'US' },
    ],
    warehouses: [
      { street: 'Dock Road 88', postcode: 'RM20 3EL', city: 'Grays', country: 'GB' },
      { street: '1200 Harbor Avenue', postcode: '07094', city: 'Secaucus', country: 'US' },
    ],
  },
  {
    name: 'Blauwater Uitgevers',
    foundedOn: '1988-05-30',
    website: 'https://blauwater.example',
    readsManuscripts: true,
    offices: [
      {
        street: 'Oude Delft 112',
        postcode: '2611 CE',
        city: 'Delft',
        country: 'NL',
        location: { latitude: 52.0116, longitude: 4.3571 },
      },
    ],
    warehouses: [{ street: 'Waalhaven 40', postcode: '3087 BM', city: 'Rotterdam', country: 'NL' }],
  },
  {
    name: 'Small Hours Books',
    foundedOn: '2011-01-09',
    website: null,
    readsManuscripts: true,
    offices: [{ street: '3 Clifton Arcade', postcode: 'BS8 4AA', city: 'Bristol', country: 'GB' }],
    warehouses: [],
  },
]
