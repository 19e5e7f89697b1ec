import type { Model } from 'fastify-crud'
import type { OpenDatabase } from '../../../../../test/support/databases.ts'
import { takeSnapshot } from '../../../../../test/support/tables.ts'
import { FIRM } from './tenant-subject.ts'

/** All rows, as texts: by the tenant that they belong to, and those of no tenant by `shared`. */
export type RowsByTenant = ReadonlyMap<string, readonly string[]>

export async function rowsByTenant({ name, db }: OpenDatabase, { resources }: Model): Promise<RowsByTenant> {
  const links = [...resources.values()].flatMap((one) => one.links)
  const tables = [...new Set([...resources.values(), ...links].map(({ table }) => table))]
  const rows = new Map<string, string[]>()
  for (const [table, lines] of Object.entries(await takeSnapshot(name, db, tables))) {
    for (const line of lines) {
      const row = JSON.parse(line) as Readonly<Record<string, unknown>>
      const tenant = String(row[FIRM] ?? (table === 'zq_firms' ? row.zq_firm_no : 'shared'))
      const all = rows.get(tenant) ?? []
      rows.set(tenant, all)
      all.push(`${table} ${line}`)
    }
  }
  return rows
}

/** The rows of others that a request of a tenant has changed. */
export function changesOfOthers(before: RowsByTenant, after: RowsByTenant, tenant: string): readonly string[] {
  const others = new Set([...before.keys(), ...after.keys()].filter((one) => one !== tenant))
  return [...others].flatMap((one) => {
    const [was, is] = [new Set(before.get(one)), new Set(after.get(one))]
    const differing = [...[...was].filter((line) => !is.has(line)), ...[...is].filter((line) => !was.has(line))]
    return differing.map((line) => `a row of ${one} has changed: ${line}`)
  })
}
