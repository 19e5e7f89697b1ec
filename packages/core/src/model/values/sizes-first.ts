import { _, type Ajv2019, type KeywordCxt, Name } from 'ajv/dist/2019.js'

/** Keywords that limit the size of a value. Without the limit, a client decides what checking the other keywords costs. */
const SIZES = ['maxLength', 'maxItems', 'maxProperties']

/** How many errors the code that Ajv generates has found so far. */
const ERRORS = new Name('errors')

/**
 * Makes Ajv check the size of a value first, in every part of a schema. If a value is too large, Ajv checks nothing else
 * of it.
 *
 * With `allErrors`, Ajv goes on after an error: it would match a pattern against a text that is too long, and compare the
 * items of an array that has too many. A separate schema of the sizes is not enough: Ajv tries all branches of `anyOf`,
 * even if the value fits one of them.
 *
 * Ajv generates code for the keywords of all types first (`allOf`, `$ref`), then for those of a string, array or object.
 * So a size is measured at the very start, and both groups run only if the value fits.
 */
export function checkSizesFirst({ RULES }: Ajv2019): void {
  const ofAllTypes = RULES.rules.find(({ type }) => type === undefined)
  for (const keyword of SIZES) {
    const rule = RULES.all[keyword]
    if (ofAllTypes === undefined || typeof rule !== 'object' || !('code' in rule.definition)) {
      throw new Error(`this version of Ajv does not check '${keyword}' as expected`)
    }
    const { code, type } = rule.definition
    const fitting = new WeakMap<object, Name>()
    rule.definition = {
      ...rule.definition,
      code(context, group) {
        // Ajv closes this block at the end of the group.
        const fits = group === undefined ? measure(context, type[0], code) : fitting.get(context.it)
        if (fits === undefined) throw new Error(`Ajv checks '${keyword}' before it is measured`)
        fitting.set(context.it, fits)
        context.gen.if(fits)
      },
    }
    ofAllTypes.rules.unshift(rule)
  }
}

/** Code for the keyword's own check; returns the name of the variable that is true if the value fits. */
function measure(context: KeywordCxt, type: string | undefined, check: (context: KeywordCxt) => void): Name {
  const { gen, data } = context
  const before = gen.const('before', ERRORS)
  gen
    .if(
      type === 'array' ? _`Array.isArray(${data})` : _`typeof ${data} == ${type} && ${data} && !Array.isArray(${data})`,
    )
    .block(() => check(context))
    .endIf()
  return gen.var('fits', _`${before} === ${ERRORS}`)
}
