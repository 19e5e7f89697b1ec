import { type Html, html } from './html.ts'

interface KeptRule {
  readonly written: string
  readonly means: string
}

const kept: readonly KeptRule[] = [
  {
    written: "transitions('status', { open: ['paid'], … })",
    means: 'An order is open, then paid, then sent, and may be returned. No other way is taken.',
  },
  {
    written: "validate({ before, refuse }) { … refuse('…') }",
    means: 'Once it is paid, its lines stay as they are, and it cannot be deleted.',
  },
  {
    written: "set({ amount: … }, { on: 'change' }), and total: sumOf('lines', 'amount')",
    means: 'Each line says what it comes to, and each order what all its lines come to.',
  },
  {
    written: "timestamps(), stamps({ createdBy: 'name', … })",
    means: 'When and by whom it was entered and last changed: nobody else can set it.',
  },
  {
    written: "audit('audit')",
    means: 'Each change of an order and its lines is written down with what was before, and who did it.',
  },
]

/** The table of what the shop adds to its orders. */
export function ruleRows(): Html[] {
  return kept.map(({ written, means }) => html`<tr><td><code>${written}</code></td><td>${means}</td></tr>`)
}
