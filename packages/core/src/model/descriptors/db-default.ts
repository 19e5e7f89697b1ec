/**
 * The `default` of a field to which the database gives a value: `DEFAULT now()`, an identity or a generated column. Where a body has no
 * value for the field, the INSERT leaves its column out, and the answer shows what the database has set.
 *
 * The column itself belongs to the application: `createTables` makes it without a default.
 *
 * @example
 * const fields = { title: Type.String(), createdAt: Type.String({ format: 'date-time', default: dbDefault }) }
 */
export const dbDefault: unique symbol = Symbol.for('fastify-crud.dbDefault')
