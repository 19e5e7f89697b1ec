/** What can be asked of a list, and the status that answers it. */
export interface Question {
  readonly says: string
  /** As a person writes it: not percent-encoded. */
  readonly path: string
  readonly status: 200 | 400
}

export const questions: readonly [Question, ...Question[]] = [
  {
    says: 'Below ten pounds, the cheapest first',
    path: '/api/book?filter[price][lt]=10&sort=price&fields=title,price',
    status: 200,
  },
  {
    says: 'Of one publisher, the newest first',
    path: '/api/book?filter[publisher.name]=Lanternfield Press&sort=-publishedOn&fields=title,publishedOn',
    status: 200,
  },
  {
    says: '“sea” in the title, in capitals or not',
    path: '/api/book?filter[title][icontains]=sea&fields=title,authors.name',
    status: 200,
  },
  {
    says: 'Rated 4.5 or more, or about winter',
    path: '/api/book?filter={"or":[{"rating":{"gte":4.5}},{"tags.label":"winter"}]}&fields=title,rating,tags.label',
    status: 200,
  },
  {
    says: 'No chapter with “the” in its title',
    path: '/api/book?filter={"chapters":{"none":{"title":{"icontains":"the"}}}}&fields=title,chapters.title',
    status: 200,
  },
  {
    says: 'The five with the most chapters',
    path: '/api/book?sort=-count(chapters)&limit=5&fields=title,count(chapters)',
    status: 200,
  },
  {
    says: 'In no series, and wider than 15 cm',
    path: '/api/book?filter[seriesId][null]=true&filter[dimensions.width][gt]=150&fields=title,dimensions',
    status: 200,
  },
  {
    says: 'Authors, each with the two newest books',
    path: '/api/author?include=books&nested[books][sort]=-publishedOn&nested[books][limit]=2',
    status: 200,
  },
  {
    says: 'A book without its chapters',
    path: '/api/book?include=-chapters,-related&limit=1',
    status: 200,
  },
  {
    says: 'Five at a time, and not counted',
    path: '/api/book?sort=title&limit=5&count=none&fields=title',
    status: 200,
  },
  {
    says: 'Three mistakes: 400 names each',
    path: '/api/book?filter[prise][lt]=10&sort=-rateing&fields=titel',
    status: 400,
  },
]
