import { createStore, type Descriptors, type ResourceDescriptor } from 'fastify-crud'
import { bodiesIn } from './actions.ts'
import { withAllRelations } from './all-relations.ts'
import { compareRecord } from './answers.ts'
import { nodesOf } from './body-nodes.ts'
import type { SideIds } from './id-kinds.ts'
import { TENANTS } from './in-tenants.ts'
import { type Json, own } from './json.ts'
import { modelOf } from './model-of.ts'
import type { Request } from './reference-answer.ts'
import { type RefModel, readDescriptors } from './reference-model.ts'
import { resourceAt } from './reference-path.ts'
import { showRecord } from './reference-read.ts'
import { byId, rowsOf, type State } from './reference-store.ts'
import type { Setting, Side } from './side.ts'

/** Whether a body sets write-only values. They are written whatever is stored. */
export function setsHidden(model: RefModel, { address, body, act }: Request): boolean {
  if (body === undefined) return false
  const bodies = act === undefined ? [body] : bodiesIn(body)
  const nodes = bodies.flatMap((one) => nodesOf(model, resourceAt(model, address), one))
  return nodes.some((node) => {
    return node.resource.fields.some(({ name, writeOnly }) => writeOnly && own(node.body, name) !== undefined)
  })
}

/** Compares what is stored on one side with what a reference holds, write-only values included. Throws if they differ. */
export type CompareHidden = (side: Side, state: State) => Promise<void>

/** Undefined if the model shows all. Else it reads by a model of the same tables that does. */
export function compareHiddenOf(
  descriptors: Descriptors,
  kindOf: (resource: string) => SideIds,
  setting: Setting,
): CompareHidden | undefined {
  const carried = Object.entries(withAllRelations(descriptors))
  const open = Object.fromEntries(carried.map(([key, one]) => [key, withoutWriteOnly(one)]))
  if (Object.entries(open).every(([key, one]) => one === descriptors[key])) return undefined
  const resources = modelOf(open, setting)
  const model = readDescriptors(open, kindOf)
  return async ({ database, ids, tenant }, state) => {
    const all = createStore({ db: database.db, resources })
    const store = tenant === undefined ? all : all.asSystem({ tenant: TENANTS[tenant] as string })
    for (const resource of [...model.resources.values()].filter(({ isRoot }) => isRoot)) {
      const stored: { rows: Json[] } = JSON.parse(
        JSON.stringify(await store.resource(resource.key).list({ limit: 100 })),
      )
      const roots = byId([...rowsOf(state, resource.key).values()].filter(({ owner }) => owner === undefined))
      for (const [index, row] of roots.slice(0, stored.rows.length).entries()) {
        compareRecord(model, resource, showRecord(model, state, resource, row), stored.rows[index] ?? null, ids)
      }
    }
  }
}

function withoutWriteOnly(descriptor: ResourceDescriptor): ResourceDescriptor {
  const fields = Object.entries(descriptor.fields ?? {})
  if (!fields.some(([, schema]) => 'writeOnly' in schema)) return descriptor
  const open = fields.map(([name, schema]) => [name, { ...schema, writeOnly: false }])
  return { ...descriptor, fields: Object.fromEntries(open) }
}
