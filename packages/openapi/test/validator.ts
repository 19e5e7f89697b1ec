import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Model } from '../../core/src/model/model.ts'
import type { JsonSchema } from '../../core/src/model/values/schema-facts.ts'
import { openApiOf } from '../src/document/openapi-of.ts'
import type { OpenApiOptions } from '../src/openapi-options.ts'

/** Says what is wrong with a value: nothing, if it fits the schema of that name. */
export type Validator = (name: string, value: unknown) => string[]

/** Checks values against the schemas of a model. `guarded`: of a service with `authorize`. */
export function validatorOf(model: Model, guarded: boolean | OpenApiOptions = false): Validator {
  const options = typeof guarded === 'boolean' ? { guarded } : { guarded: false, ...guarded }
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
  formats.default(ajv)
  ajv.addVocabulary(['components'])
  ajv.addFormat('decimal', /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/)
  ajv.addSchema({ components: openApiOf(model, options).components }, 'document')
  return (name, value) => {
    const validate = ajv.getSchema(`document#/components/schemas/${name}`)
    if (validate === undefined) throw new TypeError(`no schema '${name}'`)
    if (validate(value) === true) return []
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
  }
}

/** The schema of that name. */
export function componentOf(model: Model, name: string): JsonSchema {
  const found = openApiOf(model, { guarded: false }).components.schemas[name]
  if (found === undefined) throw new TypeError(`no schema '${name}'`)
  return found
}

/** The schema of one of a component's properties. */
export function propertyOf(model: Model, name: string, property: string): unknown {
  return Reflect.get(Object(componentOf(model, name).properties), property)
}
