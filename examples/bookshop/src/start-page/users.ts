import { type Html, html } from './html.ts'
import type { Samples } from './samples.ts'

interface User {
  /** Undefined for a visitor. */
  readonly name: string | undefined
  readonly is: string
  readonly may: string
}

/** One user of each kind; the customer is one who has bought something. */
function usersIn({ order }: Samples): readonly User[] {
  const customer = order && [
    {
      name: order.customer.email,
      is: `${order.customer.name}, a customer`,
      may: 'view what visitors view, your own orders, and your own entry, which you may edit',
    },
  ]
  return [
    { name: undefined, is: 'a visitor', may: 'view everything but contracts, customers and orders' },
    ...(customer ?? []),
    { name: 'ada', is: 'Ada, the editor', may: 'view, add and edit everything' },
    { name: 'ben', is: 'Ben, the owner of the shop', may: 'delete, too' },
  ]
}

/** The switch of who the reader is: a row with a link for each kind of user. */
export function userRows(samples: Samples, reader: string | undefined): Html[] {
  return usersIn(samples).map(({ name, is, may }) => {
    const header = name === undefined ? html`` : html`<code>x-user: ${name}</code>`
    const here =
      name === reader
        ? html`<b aria-current="true">${is}: you</b>`
        : html`<a class="be" href="/?as=${name ?? ''}">${is}</a>`
    return html`<tr><td>${here}</td><td>${header}</td><td>${may}</td></tr>`
  })
}
