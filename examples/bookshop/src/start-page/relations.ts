import { type Html, html } from './html.ts'
import type { Samples } from './samples.ts'

type Path = keyof Samples['paths']

interface Kind {
  readonly declared: string
  readonly means: string
  readonly where: string
  readonly see: readonly Path[]
}

const kinds: readonly Kind[] = [
  {
    declared: "owns.one('cover', { required: true })",
    means: 'A part of the record, which may not be missing.',
    where: 'book → cover',
    see: ['cover'],
  },
  {
    declared: "owns.one('portrait')",
    means: 'A part that may be missing.',
    where: 'author → portrait',
    see: ['portrait'],
  },
  {
    declared: "owns.many('chapter')",
    means: 'Parts that are written and deleted with it, to any depth.',
    where: 'book → chapters → footnotes',
    see: ['chapters', 'footnotes'],
  },
  {
    declared: "owns.many('address', { inverse })",
    means: 'The same kind of part, in two ways.',
    where: 'publisher → offices, warehouses',
    see: ['offices', 'warehouses'],
  },
  {
    declared: "ownedBy('category', { optional: true })",
    means: 'A tree: parts of its own kind.',
    where: 'category → subcategories',
    see: ['subcategories'],
  },
  {
    declared: "needs.one('publisher')",
    means: 'Cannot be without it, and keeps it from being deleted.',
    where: 'book → publisher',
    see: ['book'],
  },
  {
    declared: "needs.one('book', { unique: true })",
    means: 'One to one: no other contract has the same book.',
    where: 'contract → book (for the staff)',
    see: [],
  },
  { declared: "needs.many('author')", means: 'At least one of them.', where: 'book → authors', see: ['book'] },
  {
    declared: "needs.many('book') ⇄ neededBy.one",
    means: 'Several, and no other box set has one of them.',
    where: 'box set → volumes',
    see: ['boxSet'],
  },
  {
    declared: "knows.one('series')",
    means: 'May be missing; null once the other is deleted.',
    where: 'book → series, publisher → headquarters',
    see: ['book', 'publisher'],
  },
  { declared: "knows.many('tag')", means: 'Links that come and go.', where: 'book → tags', see: ['book'] },
  { declared: "knows.many('book')", means: 'Links to its own kind.', where: 'book → related', see: ['related'] },
]

/** The table of relation kinds: how each is declared, what it means, and a record that has it. */
export function relationRows(samples: Samples): Html[] {
  return kinds.map(({ declared, means, where, see }) => {
    const paths = [...new Set(see.map((name) => samples.paths[name]))].filter((path) => path !== undefined)
    const links = paths.map((path) => html`<a href="${path}">${path}</a>`)
    return html`<tr>
      <td><code>${declared}</code></td>
      <td>${means}</td>
      <td><span class="where">${where}</span> ${links}</td>
    </tr>`
  })
}
