/** A JSON value, as a request or an answer carries it. */
export type Json = null | boolean | number | string | Json[] | JsonObject

export interface JsonObject {
  [name: string]: Json
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value of an own property; `undefined` if the object has none. */
export function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** A JSON pointer one step further down. */
export function below(pointer: string, name: string | number): string {
  return `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`
}
