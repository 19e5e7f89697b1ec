import { type CallService, ToolError, unlessRefused } from './service.ts'

/** What `GET /api/$model` answers, as far as the tools use it. */
export interface KnownModel {
  readonly limits: { readonly defaultPage: number; readonly maxPage: number }
  readonly resources: Readonly<Record<string, KnownResource>>
}

export interface KnownResource {
  readonly description?: string
  readonly paths: readonly string[]
  readonly id?: { readonly schema?: unknown }
  readonly fields: Readonly<Record<string, KnownField>>
  readonly relations: Readonly<Record<string, KnownRelation>>
  readonly defaultInclude: readonly string[]
  readonly writable?: true
  readonly groups?: true
  readonly topLevel?: true
  readonly operations: Readonly<Record<string, boolean>>
  readonly actions?: Readonly<Record<string, KnownAction>>
}

interface KnownField {
  readonly schema?: unknown
  readonly required?: true
  readonly writeOnly?: true
}

interface KnownRelation {
  readonly inverse?: string
  readonly path?: string
  readonly foreignKey?: string
}

interface KnownAction {
  readonly method?: string
  readonly on?: string
}

/** Asked anew for each call: nothing is kept of a caller. */
export async function modelOf(call: CallService): Promise<KnownModel> {
  const answer = await call('GET', '/$model')
  if (answer.status === 404)
    throw new ToolError("the service does not describe itself: register crudPlugin without 'describe: false'")
  return unlessRefused(answer).body as KnownModel
}

export function resourceIn({ resources }: KnownModel, name: string): KnownResource {
  const found = Object.hasOwn(resources, name) ? resources[name] : undefined
  if (found !== undefined) return found
  throw new ToolError(`there is no resource '${name}'; there are ${Object.keys(resources).join(', ')}`)
}

/** Where records are: the ids of owners that a path names, by the names that `describe` shows. */
export interface RecordPlace {
  readonly resource: string
  readonly owners?: Readonly<Record<string, string | number>>
}

const PARAMETER = /\{([^}]+)\}/g

/** The path of a collection behind the prefix, with the ids of owners filled in. */
export function pathOfCollection(model: KnownModel, { resource, owners = {} }: RecordPlace): string {
  const { paths } = resourceIn(model, resource)
  const given = Object.keys(owners).sort().join()
  const path = paths.find((one) => namesIn(one).sort().join() === given)
  if (path === undefined) {
    const ways = paths.map((one) => `${one}: ${namesIn(one).length === 0 ? 'no owners' : namesIn(one).join(', ')}`)
    throw new ToolError(`owners: give the ids that one of the paths of ${resource} names:\n- ${ways.join('\n- ')}`)
  }
  return path.replaceAll(PARAMETER, (_, name: string) => encodeURIComponent(String(owners[name])))
}

function namesIn(path: string): string[] {
  return [...path.matchAll(PARAMETER)].map(([, name]) => name as string)
}

/** The path of one record. */
export function pathOfRecord(model: KnownModel, place: RecordPlace, id: string | number): string {
  return `${pathOfCollection(model, place)}/${encodeURIComponent(String(id))}`
}
