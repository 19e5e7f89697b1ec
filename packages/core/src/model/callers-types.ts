/** What `my('x', type)` may say of a value of the caller that no column is beside. */
export const CALLERS_TYPES = ['string', 'integer', 'number', 'boolean', 'decimal', 'date', 'date-time'] as const

export type CallersTypeName = (typeof CALLERS_TYPES)[number]
