/** What a command may use of the process that runs it. */
export interface Surroundings {
  out(text: string): void
  /** For people: what was done, and what went wrong. */
  err(text: string): void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Paths start here. */
  readonly folder: string
}
