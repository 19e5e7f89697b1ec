import { Type } from '@sinclair/typebox'
import { isObject, type Json } from './json.ts'
import { isChoosable, type RefModel, type RefResource, resourceOf } from './reference-model.ts'
import { isInverse } from './reference-order.ts'
import { canBeKept } from './reference-values.ts'
import { changeIds } from './translate.ts'

// Actions that the resources of random models have. Each does what requests to the same path do.

/** `amend` writes the record up to two times, `refuse` once and in vain, `remove` deletes it, `look` only reads it. */
export type ActName = 'amend' | 'refuse' | 'remove' | 'look' | 'count'

/** What an action asks of the policies of its record. */
export const ASKED = { amend: 'View', refuse: 'Add', remove: 'Edit', look: 'Delete' } as const

const aBody = Type.Object({}, { additionalProperties: true })

/** A collection of a store, whatever the model is. */
interface AnyCollection {
  owned(id: unknown, relation: string): AnyCollection
  patch(id: unknown, body: unknown): Promise<unknown>
  delete(id: unknown): Promise<unknown>
  list(): Promise<{ readonly count: number }>
}

interface Running {
  readonly id: unknown
  readonly owners: readonly unknown[]
  readonly body: { readonly first: unknown; readonly second?: unknown }
  readonly store: { resource(key: string): AnyCollection }
  refuse(text: string): void
}

/** The actions as an application declares them. */
export function buildActions(model: RefModel): object {
  const entries = [...model.resources.values()].map((resource) => {
    const at = ({ store, owners }: Pick<Running, 'store' | 'owners'>): AnyCollection => {
      const way = wayTo(model, resource)
      if (owners.length === 0 || way === undefined) return store.resource(resource.key)
      const top = store.resource(way.root)
      return owners.reduce<AnyCollection>((above, id, index) => above.owned(id, way.relations[index] ?? ''), top)
    }
    const actions: Record<ActName, object> = {
      amend: {
        asks: ASKED.amend,
        body: Type.Object({ first: aBody, second: Type.Optional(aBody) }),
        async run(running: Running) {
          const { id, body } = running
          await at(running).patch(id, body.first)
          if (body.second !== undefined) await at(running).patch(id, body.second)
        },
      },
      refuse: {
        asks: ASKED.refuse,
        body: Type.Object({ first: aBody }),
        async run(running: Running) {
          running.refuse('not today')
          await at(running).patch(running.id, running.body.first)
        },
      },
      remove: { asks: ASKED.remove, run: (running: Running) => at(running).delete(running.id) },
      look: { asks: ASKED.look, method: 'GET', run: () => undefined },
      count: {
        on: 'list',
        asks: 'View',
        answer: Type.Integer(),
        run: async (running: Running) => (await at(running).list()).count,
      },
    }
    return [resource.key, actions]
  })
  return Object.fromEntries(entries)
}

/** The relations that lead from a root to a resource, where only one way does. */
export function wayTo(
  model: RefModel,
  resource: RefResource,
): { readonly root: string; readonly relations: readonly string[] } | undefined {
  const [by, ...others] = resource.owners
  if (by === undefined || others.length > 0) return undefined
  const owner = resourceOf(model, by.target)
  const owns = owner.owns.find((one) => isInverse(one, resource, by.name))
  const above = owner.isRoot ? { root: owner.key, relations: [] } : wayTo(model, owner)
  return owns && above && { root: above.root, relations: [...above.relations, owns.name] }
}

/** Whether a body is one that the action takes: with values that a database can keep, whatever the model says of them. */
export function fitsAction(model: RefModel, resource: RefResource, act: ActName, body: Json | undefined): boolean {
  if (act !== 'amend' && act !== 'refuse')
    return body === undefined || (isObject(body) && Object.keys(body).length === 0)
  if (!isObject(body) || !isObject(body.first) || !canBeKept(body)) return false
  if (bodiesIn(body).some((one) => hasTextForId(model, resource, one))) return false
  return Object.entries(body).every(([name, value]) => {
    return name === 'first' || (name === 'second' && act === 'amend' && isObject(value))
  })
}

/** Whether there is something that no id is: each service gets a text for it that no database can keep. */
function hasTextForId(model: RefModel, resource: RefResource, body: Json): boolean {
  let isThere = false
  changeIds(model, resource, body, (key, id, isOwn) => {
    const isNone = isOwn && resourceOf(model, key).isGiven && Number.isSafeInteger(id) && !isChoosable(id as number)
    isThere ||= typeof id === 'string' || isNone
    return id
  })
  return isThere
}

/** The bodies of the writes that an action makes. */
export function bodiesIn(body: Json | undefined): readonly Json[] {
  const { first, second } = isObject(body) ? body : {}
  return [first, second].filter((one) => one !== undefined)
}
