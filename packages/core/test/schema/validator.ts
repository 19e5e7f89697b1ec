import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Model } from '../../src/model/model.ts'
import type { ComponentSchema } from '../../src/schema/json-schema.ts'
import { schemasOf } from '../../src/schema/schemas-of.ts'

/** Says what is wrong with a value: nothing, if it fits the component with that `$id`. */
export type Validator = ($id: string, value: unknown) => string[]

/** Checks values against the components of a model. */
export function validatorOf(model: Model): Validator {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true })
  formats.default(ajv)
  ajv.addFormat('decimal', /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/)
  ajv.addSchema(schemasOf(model))
  return ($id, value) => {
    const validate = ajv.getSchema($id)
    if (validate === undefined) throw new TypeError(`no schema '${$id}'`)
    if (validate(value) === true) return []
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`)
  }
}

/** The component with that `$id`. */
export function componentOf(model: Model, $id: string): ComponentSchema {
  const found = schemasOf(model).find((schema) => schema.$id === $id)
  if (found === undefined) throw new TypeError(`no schema '${$id}'`)
  return found
}

/** The schema of one of a component's properties. */
export function propertyOf(model: Model, $id: string, name: string): unknown {
  return Reflect.get(Object(componentOf(model, $id).properties), name)
}
