// What a service says of itself at `$model`, as far as the client needs it. The service may say more.

export interface ServiceModel {
  /** The version of the form. */
  readonly model: number
  readonly hash: string
  readonly idempotency?: true
  readonly limits: { readonly maxPage: number }
  readonly resources: Readonly<Record<string, ResourceModel>>
}

export interface ResourceModel {
  readonly paths: readonly string[]
  readonly id?: { readonly kind: string }
  readonly fields: Readonly<Record<string, { readonly computed?: true }>>
  readonly relations: Readonly<Record<string, RelationModel>>
  readonly defaultInclude: readonly string[]
  readonly search?: readonly string[]
  readonly topLevel?: true
  readonly ruled?: true
  readonly actions?: Readonly<Record<string, ActionModel>>
}

export interface RelationModel {
  readonly kind: string
  readonly target: string
  readonly path?: string
}

export interface ActionModel {
  readonly on: 'record' | 'list'
  readonly method: 'POST' | 'GET'
  readonly answer?: object | boolean
  readonly changes?: readonly string[]
}

/** The version of the form that this client reads. */
const VERSION = 1

/** Throws an Error if the client cannot read what a service says of itself. */
export function checkServiceModel(model: unknown): ServiceModel {
  const version = (model as Partial<ServiceModel> | null)?.model
  if (version === VERSION) return model as ServiceModel
  throw new Error(`$model: this client reads version ${VERSION}, and the service has ${version ?? 'none'}`)
}

/** The resource with that key. Throws a TypeError if the caller knows none. */
export function resourceNamed({ resources }: ServiceModel, key: string): ResourceModel {
  if (Object.hasOwn(resources, key)) return resources[key] as ResourceModel
  throw new TypeError(`the service has no resource '${key}' for this caller`)
}

/** The path of the collection at the top. Throws a TypeError if its records are only reached through their owners. */
export function pathAtTop({ paths }: ResourceModel, key: string): string {
  const path = paths.find((one) => !one.includes('{'))
  if (path === undefined) throw new TypeError(`'${key}' is reached through its owner: owned(id, relation)`)
  return path
}
