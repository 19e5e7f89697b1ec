import {
  type BodyOperation,
  type DescribedValue,
  FIELDS_OF_SOME,
  type Field,
  type Resource,
  shortIdOf,
} from '@fastify-crud/core/internal'
import { exampleValue } from './example-value.ts'

/** An example of a record or body; `undefined` where a required field has no value that could be made up. */
export type Example = Readonly<Record<string, unknown>> | undefined

/** How deep owned records are shown; below that, only those that may not be missing. */
const DEPTH = 2

/**
 * Makes up records and bodies that fit their schemas. Each is built once, so that a record that is owned, needed or
 * known by many others costs nothing more.
 */
export class Examples {
  readonly #values = new Map<DescribedValue, unknown>()
  readonly #built = new Map<Resource, Map<string, Example>>()

  /** A record as it is answered. */
  record(resource: Resource, depth: number = DEPTH): Example {
    return this.#once(resource, `record${depth}`, () => this.#record(resource, depth))
  }

  /** What other records show of it. */
  summary(resource: Resource): Example {
    return this.#once(resource, 'summary', () => {
      const seen = [...resource.fields, ...resource.computed].filter(FIELDS_OF_SOME.sees)
      const shown = seen.filter(({ inSummary }) => inSummary)
      const fields = shown.map((field) => [field.name, this.#value(field)] as const)
      if (fields.some(([, value]) => value === undefined)) return undefined
      return { ...(resource.hasId && { id: resource.id.example }), ...Object.fromEntries(fields) }
    })
  }

  /** The body of POST, PUT or PATCH. */
  body(resource: Resource, operation: BodyOperation, depth: number = DEPTH): Example {
    if (operation === 'patch') return this.#patch(resource)
    return this.#once(resource, `${operation}${depth}`, () => this.#body(resource, operation, depth))
  }

  #record(resource: Resource, depth: number): Example {
    const ofId = resource.hasId && { id: shortIdOf(resource, resource.id.example) }
    const record: Record<string, unknown> = { ...ofId }
    for (const property of resource.properties) {
      switch (property.kind) {
        case 'field':
        case 'computed': {
          if (!FIELDS_OF_SOME.sees(property)) break
          const value = this.#value(property)
          if (value === undefined) return undefined
          record[property.name] = value
          break
        }
        case 'owns': {
          const { target, many, required, carried } = property
          if (!carried) break
          const child = depth > 0 || required ? this.record(target, Math.max(0, depth - 1)) : undefined
          if (child === undefined && required) return undefined
          record[property.name] = many ? [child].filter(isKnown) : (child ?? null)
          break
        }
        case 'reference': {
          const summary = this.summary(property.target)
          if (summary === undefined && !property.nullable) return undefined
          record[property.foreignKey] = summary === undefined ? null : property.target.id.example
          if (property.carried) record[property.name] = summary ?? null
          break
        }
        case 'link':
          if (property.carried) record[property.name] = [this.summary(property.target)].filter(isKnown)
          break
      }
    }
    return record
  }

  #body(resource: Resource, operation: 'create' | 'replace', depth: number): Example {
    const isGiven = operation === 'create' && resource.id.assignedBy === 'client'
    const body: Record<string, unknown> = isGiven ? { id: resource.id.example } : {}
    for (const property of resource.properties) {
      switch (property.kind) {
        case 'field': {
          if (!everyoneSets(property)) break
          const value = this.#value(property)
          if (value !== undefined && value !== null) body[property.name] = value
          else if (property.required) return undefined
          break
        }
        case 'owns': {
          const { name, target, many, required } = property
          if (depth === 0 && !required) break
          const child = this.body(target, operation, Math.max(0, depth - 1))
          if (child === undefined && required) return undefined
          if (child !== undefined)
            body[name] = many
              ? [operation === 'create' ? child : { id: shortIdOf(target, target.id.example), ...child }]
              : child
          break
        }
        case 'reference':
          if (!property.setByRule) body[property.foreignKey] = property.target.id.example
          break
        case 'link':
          body[property.name] = [{ id: property.target.id.example }]
          break
      }
    }
    return body
  }

  /** One change is the usual PATCH. */
  #patch(resource: Resource): Example {
    for (const field of resource.fields.filter(everyoneSets)) {
      const value = this.#value(field)
      if (value !== undefined && value !== null) return { [field.name]: value }
    }
    const reference = resource.references.find(({ setByRule }) => !setByRule)
    return reference === undefined ? {} : { [reference.foreignKey]: reference.target.id.example }
  }

  #value(field: DescribedValue): unknown {
    if (!this.#values.has(field)) this.#values.set(field, exampleValue(field))
    return this.#values.get(field)
  }

  #once(resource: Resource, what: string, build: () => Example): Example {
    const built = this.#built.get(resource) ?? new Map<string, Example>()
    this.#built.set(resource, built)
    if (!built.has(what)) built.set(what, build())
    return built.get(what)
  }
}

/** An example of a body fits every caller, and every column: one that the database fills may take no other value. */
function everyoneSets({ readOnly, hasDbDefault, access }: Field): boolean {
  return !readOnly && !hasDbDefault && access?.Edit === undefined
}

function isKnown(example: Example): boolean {
  return example !== undefined
}
