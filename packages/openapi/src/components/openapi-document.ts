import type { JsonSchema } from '@fastify-crud/core/internal'

/** An OpenAPI 3.1 document, as far as `openApiOf` makes one. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: OpenApiInfo
  readonly servers?: readonly OpenApiServer[]
  readonly tags: readonly OpenApiTag[]
  readonly security?: readonly SecurityRequirement[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: OpenApiComponents
  /** Where the services describe themselves to clients of ours, as paths of this document. */
  readonly 'x-crud-models'?: readonly string[]
}

/** What the document is about. OpenAPI knows more members, such as `contact` and `license`. */
export interface OpenApiInfo {
  readonly title: string
  readonly version: string
  readonly description?: string
  readonly [member: string]: unknown
}

export interface OpenApiServer {
  readonly url: string
  readonly description?: string
  readonly [member: string]: unknown
}

export interface OpenApiTag {
  readonly name: string
  readonly description?: string
  readonly [member: string]: unknown
}

/** The scopes that each of these security schemes has to grant. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>

export interface OpenApiComponents {
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly responses: Readonly<Record<string, OpenApiResponse>>
  readonly parameters: Readonly<Record<string, JsonSchema>>
  readonly headers: Readonly<Record<string, JsonSchema>>
  readonly securitySchemes?: Readonly<Record<string, object>>
}

export interface OpenApiResponse {
  readonly description: string
  readonly headers?: Readonly<Record<string, object>>
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema; readonly [member: string]: unknown }>>
}

/** A reference to a component, such as `{ $ref: '#/components/responses/404' }`. */
export interface Ref {
  readonly $ref: string
}

export const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const
export type Method = (typeof METHODS)[number]

/** A parameter in place, or a reference to one. */
export type Parameter = Ref | (JsonSchema & { readonly name: string; readonly in: string })

/** One path: its parameters, and an operation for each of its methods. */
export type PathItem = { readonly [M in Method]?: OpenApiOperation } & { readonly parameters?: readonly Ref[] }

export interface OpenApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security?: readonly SecurityRequirement[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Readonly<Record<string, { schema: JsonSchema }>>
  }
  /** By status, or `default`. */
  readonly responses: Readonly<Record<string, Ref>>
}

/** The sections of `components` that operations refer to. */
export type ReferencedSection = 'schemas' | 'responses' | 'parameters' | 'headers'

/** A reference to a component of the document. */
export function refToComponent(section: ReferencedSection, name: string): Ref {
  return { $ref: `#/components/${section}/${name}` }
}

/** How access is decided in a service, as far as its document shows it. */
export interface AccessRules {
  /** `authorize` is asked: it may refuse a request, and leave related records out of an answer. */
  readonly asks: boolean
  /** Some callers may be refused a request. */
  readonly mayRefuse: boolean
  /** The application says whose records a request is about, and they may be nobody's that there is. */
  readonly mayMiss: boolean
  /** The resources whose records policies hide from some callers. */
  readonly hides: ReadonlySet<string>
}

/** The components of one section of a document: those that something refers to. */
export interface Components<Component> {
  /** Refers to a component, which is made for the first reference. */
  readonly ref: (name: string, make: (self: Ref) => Component) => Ref
  /** The name that a component has in the document. */
  readonly idOf: (name: string) => string
  /** By the names that they have in the document. */
  readonly made: Readonly<Record<string, Component>>
}

export function componentsIn<Component>(section: ReferencedSection, idPrefix: string): Components<Component> {
  const made: Record<string, Component> = {}
  const idOf = (name: string): string => idPrefix + name
  const ref = (name: string, make: (self: Ref) => Component): Ref => {
    const id = idOf(name)
    const self = refToComponent(section, id)
    if (!Object.hasOwn(made, id)) made[id] = make(self)
    return self
  }
  return { ref, made, idOf }
}
