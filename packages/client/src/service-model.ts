// What a service says of itself at `$model`, as far as the client needs it. The service may say more.

export interface ServiceModel {
  /** The version of the form. */
  readonly model: number
  readonly hash: string
  readonly idempotency?: true
  readonly limits: { readonly maxPage: number; readonly maxItems?: number }
  readonly resources: Readonly<Record<string, ResourceModel>>
}

export interface ResourceModel {
  readonly paths: readonly string[]
  readonly id?: IdModel
  readonly fields: Readonly<Record<string, FieldModel>>
  readonly relations: Readonly<Record<string, RelationModel>>
  readonly defaultInclude: readonly string[]
  readonly search?: readonly string[]
  readonly ifMatch?: 'required'
  readonly topLevel?: true
  readonly ruled?: true
  readonly operations?: Readonly<Record<string, boolean>>
  readonly actions?: Readonly<Record<string, ActionModel>>
}

interface IdModel {
  readonly kind: string
  readonly schema?: unknown
  readonly assignedBy?: string
  /** A POST to the path of a record creates it there. */
  readonly choosable?: true
  /** The fields and foreign keys that make it up. */
  readonly members?: readonly string[]
}

interface FieldModel {
  readonly schema?: unknown
  readonly computed?: true
  readonly readOnly?: true
}

export interface RelationModel {
  readonly kind: string
  readonly target: string
  /** The relation of the target that leads back. */
  readonly inverse?: string
  readonly foreignKey?: string
  readonly readOnly?: true
  /** The array keeps the order of the body. */
  readonly ordered?: true
  readonly path?: string
}

export interface ActionModel {
  readonly on: 'record' | 'list'
  readonly method: 'POST' | 'GET'
  readonly offered?: boolean
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
