/**
 * A duration of ISO 8601, `P1DT2H` or `PT1.5S`. RFC 3339 has neither fractions nor signs, which intervals of databases have: `P-1D`. The
 * pattern never backtracks far.
 */
export const DURATION =
  /^P(?:-?\d{1,9}W|(?=[-T\d])(?:-?\d{1,9}Y)?(?:-?\d{1,9}M)?(?:-?\d{1,9}D)?(?:T(?=[-\d])(?:-?\d{1,9}H)?(?:-?\d{1,9}M)?(?:-?\d{1,9}(?:\.\d{1,20})?S)?)?)$/
