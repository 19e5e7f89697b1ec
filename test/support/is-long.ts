/** Whether this is `test:long`: with everything on every set-up, large tables and long searches. */
export const isLong = process.env.TEST_LONG !== undefined
