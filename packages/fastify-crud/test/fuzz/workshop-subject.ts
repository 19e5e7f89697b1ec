import { ACTIONS } from '../../src/access/authorize.ts'
import type { Caller } from './callers.ts'
import type { FuzzSubject } from './fuzz-service.ts'
import { workshop, workshopActions, workshopPolicies, workshopRules } from './workshop.ts'

function caller(name: string, org: Caller['org'], ...roles: readonly string[]): Caller {
  return { name, org, roles, rights: { others: ACTIONS }, isSlow: false }
}

/** The same few records for both organisations, of which the other one's hold some that are shared. */
const furnish: FuzzSubject['furnish'] = async (add, mark) => {
  for (const org of ['north', 'south']) {
    const by = `${org}ern`
    const tools: { readonly id: unknown }[] = []
    for (const name of ['left', 'right']) {
      const tool = (words: string) => ({
        name: mark(words, 'bench', 'tools', 'name'),
        org,
        pegs: ['a', 'b'].map((one) => ({ text: mark(one, 'bench', 'tools', 'pegs', 'text') })),
      })
      const bench = { name: mark(name, 'bench', 'name'), org, tools: ['saw', 'axe', 'file'].map(tool) }
      const added = await add('/api/bench', bench, by)
      tools.push(...(added.tools as { readonly id: unknown }[]))
    }
    const refs = tools.map(({ id }) => ({ id }))
    await add('/api/kit', { name: mark('small', 'kit', 'name'), org, tools: refs.slice(1, 3).reverse() }, by)
    await add('/api/kit', { name: mark('large', 'kit', 'name'), org, tools: refs }, by)
    const box = () => ({ name: mark('box', 'box', 'name'), org })
    for (const _ of [1, 2]) await add('/api/box', { ...box(), boxes: [{ ...box(), boxes: [box(), box()] }, box()] }, by)
  }
}

export const workshopSubject: FuzzSubject = {
  resources: workshop,
  callers: [
    ...[1, 2, 3].flatMap(() => [
      caller('northern', 'north', 'member', 'editor'),
      caller('southern', 'south', 'member', 'editor'),
    ]),
    caller('helper', 'north', 'member'),
    caller('stranger', 'south'),
  ],
  options: { policies: workshopPolicies as never, actions: workshopActions as never },
  rowRules: workshopRules,
  furnish,
}
