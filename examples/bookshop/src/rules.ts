import { audit, type Rule, type Rules, set, stamps, timestamps, transitions } from 'fastify-crud'
import { amountOf } from './amount-of.ts'
import type { Caller } from './caller.ts'
import type { resources } from './resources.ts'

/** What was paid for stays as it was: an order's lines can change while it is open, and only an open order can be deleted. */
const keepWhatIsPaid: Rule<typeof resources, 'order', Caller> = {
  validate({ action, before, changedBelow, refuse }) {
    if (before === null || before.status === 'open') return
    if (action === 'Delete') refuse(`an order that is ${before.status} cannot be deleted`)
    if (changedBelow.includes('lines')) refuse(`the lines of an order that is ${before.status} cannot be changed`)
  },
}

/** They hold for every write of an order, or of one of its lines, whichever path it takes. */
export const rules: Rules<typeof resources, Caller> = {
  order: [
    timestamps(),
    stamps({ createdBy: 'name', updatedBy: 'name' }),
    transitions('status', { open: ['paid'], paid: ['sent'], sent: ['returned'], returned: [] }),
    keepWhatIsPaid,
    audit('audit'),
  ],
  line: [set({ amount: ({ row }) => amountOf(row.quantity, row.unitPrice) }, { on: 'change' }), audit('audit')],
}
