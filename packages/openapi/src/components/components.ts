import { type Ref, type ReferencedSection, refToComponent } from './openapi-document.ts'

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
