import type { Problem } from '@fastify-crud/core'

/** The filter in the value of a parameter; undefined if it is not JSON, which is a problem. */
export function jsonFilterIn(name: string, value: string, problems: Problem[]): unknown {
  try {
    return JSON.parse(value)
  } catch {
    problems.push({ pointer: '', message: `${name}: is not JSON; in JSON it looks like {"price":{"gte":10}}` })
    return undefined
  }
}
