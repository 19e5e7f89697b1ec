export {
  CrudError,
  type ErrorCode,
  errorKinds,
  ModelError,
  type ModelProblem,
  type Problem,
  type Refusal,
} from './errors.ts'
export { defineResources } from './model/define-resources.ts'
export type { Descriptors, ResourceDescriptor } from './model/descriptors.ts'
export type {
  Field,
  ForeignKey,
  Link,
  Model,
  OwnedBy,
  Owns,
  Property,
  Reference,
  Resource,
  UniqueKey,
} from './model/model.ts'
export { knows, neededBy, needs, ownedBy, owns } from './model/relations.ts'
