interface AuthorSeed {
  readonly name: string
  readonly bornOn: string | null
  readonly biography: string | null
  readonly awards: { name: string; year: number }[]
  readonly portrait: { url: string; photographer: string | null; takenOn: string | null } | null
}

function picture(name: string, photographer: string | null, takenOn: string | null): AuthorSeed['portrait'] {
  return { url: `https://pictures.example/${name}.jpg`, photographer, takenOn }
}

function author(
  name: string,
  bornOn: string | null,
  biography: string | null,
  portrait: AuthorSeed['portrait'] = null,
  awards: AuthorSeed['awards'] = [],
): AuthorSeed {
  return { name, bornOn, biography, awards, portrait }
}

export const authors: readonly AuthorSeed[] = [
  author(
    'Imogen Vance',
    '1968-11-23',
    'Grew up in a lock-keeper’s house in the fens and worked as a land surveyor before her first novel.',
    picture('vance', 'Bo Lindgren', '2021-06-30'),
    [
      { name: 'Harbour Prize', year: 2019 },
      { name: 'Fenland Book of the Year', year: 2022 },
    ],
  ),
  author(
    'Tobias Okafor',
    '1983-04-02',
    'Writes about cities at night.',
    picture('okafor', 'Ines Marchetti', '2023-10-11'),
  ),
  author('Marguerite Lune', '1951-08-14', 'Sailed for eleven years, then sat down to write about it.', null, [
    { name: 'Prix du Large', year: 1999 },
  ]),
  author('Wren Abernathy', '1990-01-30', 'Lives in Bristol with a dog called Comma.', picture('abernathy', null, null)),
  author('Hendrik van der Poel', '1959-12-05', 'Taught hydraulic engineering in Delft for thirty years.'),
  author('Saoirse Keane', '1977-07-19', 'Former court reporter.', picture('keane', 'Bo Lindgren', '2018-02-08'), [
    { name: 'Silver Quill for Crime', year: 2017 },
  ]),
  author('Anselm Brandt', '1946-05-21', 'Botanist and walker.'),
  author(
    'Priya Raman',
    '1985-09-09',
    'Cooks, writes, and runs a bakery with her sister Leela.',
    picture('raman', null, '2024-05-03'),
  ),
  author('Leela Raman', '1988-02-27', null),
  author(
    'Jonas Ekwall',
    '1972-03-16',
    'Illustrator and author of books for people under ten.',
    picture('ekwall', null, null),
  ),
  author('Beatriz Coelho', '1964-10-08', 'Historian of maps.', null, [{ name: 'Meridian Medal', year: 2015 }]),
  author('Callum Strand', '1994-06-12', 'Began to write on a night ferry.'),
  author(
    'Noor Haddad',
    '1979-12-31',
    'Physician; writes about sleep and the lack of it.',
    picture('haddad', 'Ines Marchetti', '2022-09-15'),
  ),
  author('Edda Thorsen', '1955-02-11', 'Poet.', null, [{ name: 'Northern Lyric Award', year: 2008 }]),
  author('Gideon Marsh', '1981-08-25', 'Carpenter.'),
  author('Mei Castellan', '1992-11-04', 'Translator and novelist.', picture('castellan', null, null)),
  author('Rufus Oduya', null, null),
  author('Clara Winterbourne', '1938-04-18', 'Has written forty books and read all of them aloud.'),
]
