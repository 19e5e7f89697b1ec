import type { FoundColumn, FoundIndex } from '../../catalogs/found-tables.ts'
import type { Widening } from '../../check/columns/widening.ts'
import type { ColumnLayout, TableLayout } from '../../layout/table-layout.ts'
import { quoted, quotedTable, quotedText } from '../../quoted-names.ts'
import { type Change, type MigrationStep, patiently, run, unless } from '../change.ts'
import { columnExists, indexPath, regclass, type Setting } from '../setting.ts'
import { forbidNull } from './column-changes.ts'
import { dropInvalid } from './key-changes.ts'

/** What uses a column of PostgreSQL, besides its default. */
export interface ColumnUse {
  readonly what: string
  /** The name of an index that can be made again over another column. */
  readonly index: string | null
  readonly isConstraint: boolean
}

export function usesOfColumn(
  table: TableLayout,
  { name }: ColumnLayout,
  setting: Setting,
): Promise<readonly ColumnUse[]> {
  return setting.rows.read<ColumnUse>(usesQuery(table, setting.nameNow(table, name)))
}

/** `DROP COLUMN` drops indexes and constraints without a word. */
function usesQuery(table: TableLayout, column: string): string {
  return [
    'WITH col AS (SELECT attrelid, attnum, attacl FROM pg_attribute',
    `WHERE attrelid = ${regclass(table)} AND attname = ${quotedText(column)} AND NOT attisdropped)`,
    'SELECT pg_describe_object(d.classid, d.objid, d.objsubid) AS what, NULL::text AS index, false AS "isConstraint"',
    `FROM col JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = attrelid AND d.refobjsubid = attnum`,
    `WHERE NOT (d.classid = 'pg_class'::regclass AND EXISTS (SELECT FROM pg_index WHERE indexrelid = d.objid))`,
    `AND NOT (d.classid = 'pg_constraint'::regclass AND EXISTS (SELECT FROM pg_constraint k WHERE k.oid = d.objid AND k.contype IN ('u', 'n')))`,
    `AND NOT (d.classid = 'pg_attrdef'::regclass AND EXISTS (SELECT FROM pg_attrdef f WHERE f.oid = d.objid AND f.adnum = attnum))`,
    `UNION SELECT 'privileges of the column', NULL, false FROM col WHERE attacl IS NOT NULL`,
    `UNION SELECT 'a table that inherits', NULL, false FROM col JOIN pg_inherits ON attrelid IN (inhrelid, inhparent)`,
    `UNION SELECT 'index ' || c.relname, CASE WHEN m.amname = 'btree' AND i.indnatts = i.indnkeyatts AND i.indisvalid`,
    'AND NOT i.indisprimary AND NOT i.indisreplident AND i.indpred IS NULL AND i.indexprs IS NULL AND c.reloptions IS NULL',
    'AND NOT EXISTS (SELECT FROM pg_opclass o WHERE o.oid = ANY (i.indclass) AND NOT o.opcdefault) THEN c.relname END,',
    `EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype = 'u')`,
    'FROM col JOIN pg_index i ON i.indrelid = attrelid AND attnum = ANY (i.indkey)',
    'JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam',
  ].join(' ')
}

/**
 * Gives a column of PostgreSQL another type while others use the table: a new column gets the values, and takes its
 * place. A trigger writes what others write meanwhile. `uses`: indexes alone.
 */
export function typeByNewColumn(
  reason: string,
  table: TableLayout,
  column: ColumnLayout,
  found: FoundColumn,
  { copy: { type, convert }, narrowing }: Widening & { readonly copy: NonNullable<Widening['copy']> },
  uses: readonly ColumnUse[],
  setting: Setting,
): readonly Change[] {
  const { comparison } = setting.planned
  const [name, copy] = [column.name, comparison.nameOf(table, 'new_type', [column.name])]
  const [from, to, alter] = [quoted(name), quoted(copy), `ALTER TABLE ${quotedTable(table)}`]
  const body = `BEGIN NEW.${to} := ${convert(`NEW.${from}`)}; RETURN NEW; END`
  const followed = [
    `CREATE OR REPLACE FUNCTION ${indexPath(table, copy)}() RETURNS trigger LANGUAGE plpgsql AS ${quotedText(body)}`,
    `DROP TRIGGER IF EXISTS ${triggerOf(copy)} ON ${quotedTable(table)}`,
    `CREATE TRIGGER ${triggerOf(copy)} BEFORE INSERT OR UPDATE ON ${quotedTable(table)} FOR EACH ROW EXECUTE FUNCTION ${indexPath(table, copy)}()`,
    `${alter} ENABLE ALWAYS TRIGGER ${triggerOf(copy)}`,
  ]
  const isNull = column.nullable || !found.notNull
  const portions = {
    changed: quotedTable(table),
    key: table.primaryKey.map((one) => quoted(one)),
    set: `${to} = ${convert(from)}`,
    where: `${to} IS NULL AND ${from} IS NOT NULL`,
  }
  const all = comparison.found.tables.get(table.key)?.indexes ?? []
  const indexes = uses.flatMap(({ index, isConstraint }): IndexToMove[] => {
    const existing = all.find((one) => one.name === index)
    return existing === undefined ? [] : [movedIndex(table, existing, isConstraint, [name, copy], setting)]
  })
  // The service gives the default of JSON itself.
  const value = type === 'jsonb' || !found.hasDefault ? undefined : found.default
  const swap = [
    `LOCK TABLE ${quotedTable(table)} IN ACCESS EXCLUSIVE MODE`,
    ...unfollowed(table, copy),
    ...indexes.map(({ drop }) => drop),
    refuseOtherUses(table, name, copy),
    `${alter} DROP COLUMN ${from}`,
    `${alter} RENAME COLUMN ${to} TO ${from}`,
    ...(value === undefined ? [] : [`${alter} ALTER COLUMN ${from} SET DEFAULT ${convert(`(${value})`)}`]),
    ...indexes.map(({ take }) => take),
  ]
  const steps: MigrationStep[] = [
    portions,
    ...(isNull ? [] : forbidNull(table, copy, setting)),
    ...indexes.flatMap(({ make }) => make),
    // The planner knows nothing of the column else.
    run(`ANALYZE ${quotedTable(table)} (${to})`),
    patiently(run(...swap)),
  ]
  return [
    {
      ...{ file: 'ordinary', phase: 'type', reason },
      up: [unless(columnExists('postgres', table, copy), [`${alter} ADD COLUMN ${to} ${type}`]), run(...followed)],
      down: [run(...unfollowed(table, copy), `${alter} DROP COLUMN IF EXISTS ${to}`)],
    },
    {
      ...{ file: 'concurrently', phase: 'type', reason },
      up: [{ query: columnExists('postgres', table, copy), steps }],
      down: narrowing === undefined ? [] : [patiently(unless(narrowing.unfit, [narrowing.statement]))],
    },
  ]
}

/** Behind all other triggers, whose values it has to see: they run in the order of their names. */
function triggerOf(copy: string): string {
  return quoted(`~${copy}`)
}

function unfollowed(table: TableLayout, copy: string): readonly string[] {
  return [
    `DROP TRIGGER IF EXISTS ${triggerOf(copy)} ON ${quotedTable(table)}`,
    `DROP FUNCTION IF EXISTS ${indexPath(table, copy)}()`,
  ]
}

interface IndexToMove {
  readonly make: readonly MigrationStep[]
  readonly drop: string
  /** Gives the new one the name of the old one. */
  readonly take: string
}

function movedIndex(
  table: TableLayout,
  { name, keys, isUnique, nullsAreEqual, isDeferrable, isDeferred }: FoundIndex,
  isConstraint: boolean,
  [from, to]: readonly [string, string],
  { planned: { comparison } }: Setting,
): IndexToMove {
  const [made, alter] = [comparison.nameOf(table, 'new_type', [name]), `ALTER TABLE ${quotedTable(table)}`]
  const columns = comparison.found.tables.get(table.key)?.columns
  const parts = keys.map(({ column = '', collation, isDescending, nullsFirst }) => {
    const isOther = column !== from && collation !== undefined && collation !== columns?.get(column)?.collation
    const nulls = isDescending === nullsFirst ? '' : ` NULLS ${nullsFirst ? 'FIRST' : 'LAST'}`
    return `${quoted(column === from ? to : column)}${isOther ? ` COLLATE ${quoted(collation)}` : ''}${isDescending ? ' DESC' : ''}${nulls}`
  })
  const on = `${quoted(made)} ON ${quotedTable(table)} (${parts.join(', ')})${nullsAreEqual ? ' NULLS NOT DISTINCT' : ''}`
  const create = `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY IF NOT EXISTS ${on}`
  const deferral = `${isDeferrable ? ' DEFERRABLE' : ''}${isDeferred ? ' INITIALLY DEFERRED' : ''}`
  return {
    make: [dropInvalid(table, made), run(create)],
    drop: isConstraint ? `${alter} DROP CONSTRAINT ${quoted(name)}` : `DROP INDEX ${indexPath(table, name)}`,
    take: isConstraint
      ? `${alter} ADD CONSTRAINT ${quoted(name)} UNIQUE USING INDEX ${quoted(made)}${deferral}`
      : `ALTER INDEX ${indexPath(table, made)} RENAME TO ${quoted(name)}`,
  }
}

/** Fails for what has come to use the column since the migration was generated. The comment goes to the new column. */
function refuseOtherUses(table: TableLayout, name: string, copy: string): string {
  const note = `SELECT col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = ${regclass(table)} AND attname = ${quotedText(name)}`
  const comment = `COMMENT ON COLUMN ${quotedTable(table)}.${quoted(copy)} IS `
  return `DO ${quotedText(
    [
      `DECLARE others text := (SELECT string_agg(what, ', ') FROM (${usesQuery(table, name)}) AS uses);`,
      `BEGIN IF others IS NOT NULL THEN RAISE EXCEPTION 'Another column cannot take over what uses this one: %', others; END IF;`,
      `EXECUTE ${quotedText(comment)} || quote_nullable((${note})); END`,
    ].join(' '),
  )}`
}
