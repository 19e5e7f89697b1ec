import type { ServiceModel } from '../service-model.ts'

/** Whether a caller may be offered an operation or an action on a resource. One that `$model` lacks is hidden. */
export function isOffered({ resources }: ServiceModel, key: string, operation: string): boolean {
  const resource = Object.hasOwn(resources, key) ? resources[key] : undefined
  return resource?.operations?.[operation] ?? resource?.actions?.[operation]?.offered ?? false
}
