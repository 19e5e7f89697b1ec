import type { DatabaseName } from '../../../../test/support/tables.ts'
import { INTEGER, type SideIds } from './id-kinds.ts'

export type SideId = number | string

/** Which id of one database stands for which of the reference, per resource. */
export class IdMap {
  readonly database: DatabaseName
  readonly kindOf: (resource: string) => SideIds
  private readonly there = new Map<string, SideId>()
  private readonly back = new Map<string, number>()
  private readonly unknown = new Map<string, SideId>()

  constructor(database: DatabaseName, kindOf: (resource: string) => SideIds = () => INTEGER) {
    this.database = database
    this.kindOf = kindOf
  }

  /** The database's id for the reference's; one that no record ever had stands for such a one. */
  toSide(resource: string, id: number): SideId {
    const key = `${resource} ${id}`
    const known = this.there.get(key) ?? this.unknown.get(key)
    if (known !== undefined) return known
    const unknown = this.kindOf(resource).unknown(id)
    this.unknown.set(key, unknown)
    return unknown
  }

  /** The next ids for those that no record ever had are later ones: a new record that gets one is the last in the order of ids. */
  forgetUnknown(): void {
    this.unknown.clear()
  }

  toReference(resource: string, id: SideId): number | undefined {
    return this.back.get(`${resource} ${id}`)
  }

  hasReference(resource: string, id: number): boolean {
    return this.there.has(`${resource} ${id}`)
  }

  /** @throws Error if the database gave an id that another record has or had. */
  pair(resource: string, referenceId: number, sideId: SideId): void {
    const other = this.toReference(resource, sideId)
    if (other !== undefined && other !== referenceId && !this.isReused(resource)) {
      throw new Error(`the id ${sideId} of a new ${resource} was another one's before`)
    }
    this.there.set(`${resource} ${referenceId}`, sideId)
    this.back.set(`${resource} ${sideId}`, referenceId)
  }

  /** Whether a new record can have the id of one that is gone. */
  isReused(resource: string): boolean {
    return this.kindOf(resource).below === "the owner's ids"
  }

  /** 0 where ids are no integers. */
  highest(resource: string): number {
    const ids = [...this.back.keys()].filter((key) => key.startsWith(`${resource} `))
    const numbers = ids.map((key) => Number(key.slice(resource.length + 1)))
    return Math.max(0, ...numbers.filter((id) => Number.isSafeInteger(id)))
  }
}
