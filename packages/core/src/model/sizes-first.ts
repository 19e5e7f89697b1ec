import { _, type Ajv2019, type KeywordCxt, Name } from 'ajv/dist/2019.js'

/** Keywords that bound the size of a value: without a bound, every other keyword costs what the client likes. */
const SIZES = ['maxLength', 'maxItems', 'maxProperties']

/** How many errors the code that Ajv generates has found so far. */
const ERRORS = new Name('errors')

/**
 * Makes Ajv look at the size of a value first, in every part of a schema, and at nothing else of a value that is too
 * large.
 *
 * With `allErrors`, Ajv goes on after an error. A pattern would be matched against a text that is too long, and the items
 * of an array that has too many would be compared. A second schema of the sizes alone would not do: where a value fits
 * one branch of `anyOf`, the others are tried with it, too.
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
        // Ajv ends what is left open here where the group ends.
        const fits = group === undefined ? measure(context, type[0], code) : fitting.get(context.it)
        if (fits === undefined) throw new Error(`Ajv checks '${keyword}' before it is measured`)
        fitting.set(context.it, fits)
        context.gen.if(fits)
      },
    }
    ofAllTypes.rules.unshift(rule)
  }
}

/** Code for the keyword's own check; returns the name of a variable that tells whether the value fits. */
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
