/** Types of texts. Without a length, and but for the case of `citext`, they keep any text as it is. */
export const TEXTS: readonly string[] = ['text', 'varchar', 'bpchar', 'citext', 'name']

/** Types of other values, which a string shows as the type prints them. They take some texts only, or give them back spelled otherwise. */
export const PRINTED_AS_TEXTS: readonly string[] = [
  ...['inet', 'cidr', 'macaddr', 'macaddr8', 'bit', 'varbit'],
  ...['hstore', 'ltree', 'tsvector', 'xml'],
  ...['int4range', 'int8range', 'numrange', 'int4multirange', 'int8multirange', 'nummultirange'],
]

/** The length in the modifier of a `varchar(n)` or `char(n)`, which counts a header of 4 bytes; undefined without one. */
export function lengthOf(modifier: number): number | undefined {
  return modifier < 4 ? undefined : modifier - 4
}

/** Their modifier says how many digits behind the second they keep. */
const TIMES: readonly string[] = ['timestamptz', 'timestamp', 'time', 'timetz', 'interval']

/** How many digits behind the second a column keeps, where it rounds the others; undefined for all six, and for other types. */
export function fractionDigits(type: string, modifier: number): number | undefined {
  const digits = modifier & 0xffff
  return modifier >= 0 && digits < 6 && TIMES.includes(type) ? digits : undefined
}
