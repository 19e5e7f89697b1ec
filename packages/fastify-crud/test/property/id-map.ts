/** Which id of one database stands for which of the reference, per resource. */
export class IdMap {
  private readonly there = new Map<string, number>()
  private readonly back = new Map<string, number>()

  /** The database's id for the reference's; an id that no record ever had stands for itself. */
  toSide(resource: string, id: number): number {
    return this.there.get(`${resource} ${id}`) ?? id
  }

  toReference(resource: string, id: number): number | undefined {
    return this.back.get(`${resource} ${id}`)
  }

  hasReference(resource: string, id: number): boolean {
    return this.there.has(`${resource} ${id}`)
  }

  /** @throws Error if the database gave an id that another record has or had. */
  pair(resource: string, referenceId: number, sideId: number): void {
    const other = this.toReference(resource, sideId)
    if (other !== undefined && other !== referenceId) {
      throw new Error(`the id ${sideId} of a new ${resource} was another one's before`)
    }
    this.there.set(`${resource} ${referenceId}`, sideId)
    this.back.set(`${resource} ${sideId}`, referenceId)
  }

  highest(resource: string): number {
    const ids = [...this.back.keys()].filter((key) => key.startsWith(`${resource} `))
    return Math.max(0, ...ids.map((key) => Number(key.slice(resource.length + 1))))
  }
}
