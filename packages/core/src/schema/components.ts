import { type Ref, type ReferencedSection, refToComponent } from './openapi-document.ts'

/** The components of one section of a document: those that something refers to. */
export interface Components<Component> {
  /** Refers to a component, which is made for the first reference. */
  readonly ref: (name: string, make: (self: Ref) => Component) => Ref
  /** By name. */
  readonly made: Readonly<Record<string, Component>>
}

export function componentsIn<Component>(section: ReferencedSection, idPrefix: string): Components<Component> {
  const made: Record<string, Component> = {}
  const ref = (name: string, make: (self: Ref) => Component): Ref => {
    const id = idPrefix + name
    const self = refToComponent(section, id)
    if (!Object.hasOwn(made, id)) made[id] = make(self)
    return self
  }
  return { ref, made }
}
