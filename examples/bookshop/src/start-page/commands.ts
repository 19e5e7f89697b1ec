import type { Samples } from './samples.ts'

/** A request that can be tried, and the status that answers it. */
export interface Command {
  readonly says: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** The header `x-user`. */
  readonly user?: string
  readonly body?: object
  readonly status: number
}

type Book = NonNullable<Samples['book']>
type Order = NonNullable<Samples['order']>

const lists: readonly Command[] = [
  { says: 'Two books, from the third on', method: 'GET', path: '/api/book?limit=2&offset=2', status: 200 },
  { says: 'What customers bought is not for visitors: 403', method: 'GET', path: '/api/order', status: 403 },
  { says: 'The staff sees all orders', method: 'GET', path: '/api/order?limit=1', user: 'ada', status: 200 },
]

/** Commands for each verb, and for what is refused, over records that are there; they can be tried in this order. */
export function commandsFor({ book, order, openOrder, orderOfAnother }: Samples): readonly Command[] {
  const asCustomer = order === undefined ? [] : ownOrders(order, orderOfAnother)
  const ofOrders = openOrder === undefined ? [] : payOrder(openOrder)
  if (book === undefined) return [...lists, ...asCustomer, ...ofOrders]
  const commands = [read(book), add(book), refuse(), change(book), ...swap(book), replace(book), ...remove(book)]
  return [...lists, ...asCustomer, ...commands, ...ofOrders]
}

function ownOrders({ customer }: Order, other: Order | undefined): Command[] {
  const user = customer.email
  const own: Command[] = [
    { says: 'A customer sees the own orders only', method: 'GET', path: '/api/order?limit=1', user, status: 200 },
    {
      says: 'And may change the own entry',
      method: 'PATCH',
      path: `/api/customer/${customer.id}`,
      user,
      body: { newsletter: true },
      status: 200,
    },
  ]
  if (other === undefined) return own
  const path = `/api/order/${other.id}`
  return [
    ...own,
    { says: 'To a customer, the order of another one is not there: 404', method: 'GET', path, user, status: 404 },
  ]
}

/** What the rules of orders do. */
function payOrder({ id, lines: [line] }: Order): Command[] {
  const path = `/api/order/${id}`
  const pay: Command = {
    says: 'An order is paid: the answer says who did it, and when',
    method: 'PATCH',
    path,
    user: 'ada',
    body: { status: 'paid' },
    status: 200,
  }
  const goBack: Command = {
    says: 'It does not become open again: 409',
    method: 'PATCH',
    path,
    user: 'ada',
    body: { status: 'open' },
    status: 409,
  }
  const trail: Command = {
    says: 'Its audit trail',
    method: 'GET',
    path: `/api/audit?filter[resource]=order&filter[recordId]=${id}&sort=-id`,
    user: 'ada',
    status: 200,
  }
  if (line === undefined) return [pay, goBack, trail]
  const changeLine: Command = {
    says: 'Its lines stay as they are, by whichever path: 409',
    method: 'PATCH',
    path: `${path}/line/${line.id}`,
    user: 'ada',
    body: { quantity: line.quantity + 1 },
    status: 409,
  }
  return [pay, goBack, changeLine, trail]
}

function read({ id }: Book): Command {
  return { says: 'A book, and how often it was read', method: 'GET', path: `/api/book/${id}`, status: 200 }
}

function add({ publisherId, authors }: Book): Command {
  return {
    says: 'A book with its cover, chapters and footnotes, in one request',
    method: 'POST',
    path: '/api/book',
    user: 'ada',
    body: {
      title: 'The Hollow Almanac',
      isbn: '9791919990010',
      format: 'paperback',
      price: '11.00',
      publisherId,
      authors: authors.map(({ id }) => ({ id })),
      cover: { image: 'https://covers.example/the-hollow-almanac.jpg' },
      chapters: [{ number: 1, title: 'New moon', footnotes: [{ mark: '*', text: 'By the old calendar.' }] }],
    },
    status: 201,
  }
}

function refuse(): Command {
  const body = { name: '', bornOn: 'yesterday' }
  return {
    says: 'All problems of a body at once: 400',
    method: 'POST',
    path: '/api/author',
    user: 'ada',
    body,
    status: 400,
  }
}

function change({ id }: Book): Command {
  return {
    says: 'Only what is in the body changes',
    method: 'PATCH',
    path: `/api/book/${id}`,
    user: 'ada',
    body: { price: '7.99' },
    status: 200,
  }
}

function swap({ id, chapters: [first, second] }: Book): Command[] {
  if (first === undefined || second === undefined) return []
  const chapters = [
    { id: first.id, number: second.number },
    { id: second.id, number: first.number },
  ]
  const path = `/api/book/${id}`
  return [
    { says: 'Two chapters swap their numbers', method: 'PATCH', path, user: 'ada', body: { chapters }, status: 200 },
  ]
}

function replace({ id, cover }: Book): Command {
  return {
    says: 'Replaces the cover; what is left out becomes null or its default',
    method: 'PUT',
    path: `/api/book/${id}/cover/${cover.id}`,
    user: 'ada',
    body: { image: 'https://covers.example/second-edition.jpg', finish: 'gloss' },
    status: 200,
  }
}

function remove({ id, publisherId, chapters }: Book): Command[] {
  const commands: Command[] = [
    {
      says: 'A publisher that books need stays: 409',
      method: 'DELETE',
      path: `/api/publisher/${publisherId}`,
      user: 'ben',
      status: 409,
    },
  ]
  const last = chapters.at(-1)
  if (last === undefined) return commands
  const path = `/api/book/${id}/chapter/${last.id}`
  return [...commands, { says: 'A chapter goes, with its footnotes', method: 'DELETE', path, user: 'ben', status: 204 }]
}
