import type { Problem } from '@fastify-crud/core'
import { shortened } from '@fastify-crud/core/internal'

/** The filter in the value of a parameter; undefined if it is not JSON, which is a problem. */
export function jsonFilterIn(name: string, value: string, problems: Problem[]): unknown {
  try {
    return JSON.parse(value)
  } catch {
    const parameter = shortened(name)
    const message = `${parameter}: is not JSON; in JSON it looks like {"price":{"gte":10}}`
    problems.push({ parameter, message, keyword: 'format', params: { format: 'json' } })
    return undefined
  }
}
