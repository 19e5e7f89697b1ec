/** The alias of rows one level further in: relations beside each other do not see each other's. */
export function inside(alias: string): string {
  return `t${Number(alias.slice(1)) + 1}`
}
