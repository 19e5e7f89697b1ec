type Row = Readonly<Record<string, unknown>>

/** How often each partition was read or written, by its name; `of`: its table. */
export type Counts = ReadonlyMap<string, { readonly of: string; readonly times: number }>

const COUNTERS = `select c.relname as name, p.relname as of,
    s.seq_scan + coalesce(s.idx_scan, 0) + s.n_tup_ins + s.n_tup_upd + s.n_tup_del as times
  from pg_stat_xact_user_tables s join pg_class c on c.oid = s.relid
    join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent`

/** Those of the session, as far as it has not handed them on. */
export async function countsOf(ask: (text: string) => Promise<readonly Row[]>): Promise<Counts> {
  const rows = await ask(COUNTERS)
  return new Map(rows.map(({ name, of, times }) => [String(name), { of: String(of), times: Number(times) }]))
}

/** The partitions that were read or written in the meantime, of tables with more than one of them. */
export function touchedBetween([before, after]: readonly [Counts, Counts]): readonly string[] {
  const touched = [...after].flatMap(([name, { of, times }]) =>
    times > (before.get(name)?.times ?? 0) ? [{ name, of }] : [],
  )
  return moreThanOne(touched)
}

interface PlanNode {
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

/** `task_p3` is a partition of `task`. */
const PARTITION = /^(.+?)_+p\d+$/

/** The partitions that a plan reads, of tables with more than one of them. Its rows are those of `explain (format json)`. */
export function partitionsIn(rows: readonly Row[]): readonly string[] {
  const [value] = Object.values(rows[0] ?? {})
  const plans = (typeof value === 'string' ? JSON.parse(value) : value) as readonly { readonly Plan: PlanNode }[]
  const names = new Set(plans.flatMap(({ Plan }) => relationsIn(Plan)))
  return moreThanOne(
    [...names].flatMap((name) => (PARTITION.test(name) ? [{ name, of: name.replace(PARTITION, '$1') }] : [])),
  )
}

function relationsIn({ 'Relation Name': name, Plans = [] }: PlanNode): readonly string[] {
  return [...(name === undefined ? [] : [name]), ...Plans.flatMap(relationsIn)]
}

function moreThanOne(touched: readonly { readonly name: string; readonly of: string }[]): readonly string[] {
  const byTable = Map.groupBy(touched, ({ of }) => of)
  return [...byTable.values()].filter((all) => all.length > 1).flatMap((all) => all.map(({ name }) => name))
}
