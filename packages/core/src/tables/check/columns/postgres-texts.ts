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
