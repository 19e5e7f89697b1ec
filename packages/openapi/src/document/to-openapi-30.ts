import { type JsonSchema, withSubschemas } from '@fastify-crud/core/internal'

/** Keywords that OpenAPI 3.0 does not have. Without them a schema allows more, which is better than to be no
 * OpenAPI. */
const UNKNOWN = [
  '$comment',
  '$schema',
  'contains',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  'dependentRequired',
  'dependentSchemas',
  'else',
  'if',
  'maxContains',
  'minContains',
  'patternProperties',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]

/** Nothing but null: OpenAPI 3.0 has no type for it, and `nullable` counts only beside a type. */
const NULL: JsonSchema = { type: 'object', nullable: true, enum: [null] }

/** A schema of OpenAPI 3.1 as OpenAPI 3.0 writes it, for the documents of applications that are in 3.0. */
export function toOpenApi30(schema: JsonSchema): JsonSchema {
  return withSubschemas(schema, '', (part) => refAlone(typesOf(boundsOf(listsOf(keywordsOf(part))))))
}

function keywordsOf({ examples, const: constant, ...rest }: JsonSchema): JsonSchema {
  const known = Object.fromEntries(Object.entries(rest).filter(([keyword]) => !UNKNOWN.includes(keyword)))
  // What a pattern allowed is an additional property without it.
  if ('patternProperties' in rest && known.additionalProperties === false) delete known.additionalProperties
  return {
    ...known,
    ...(Array.isArray(examples) && examples.length > 0 && { example: examples[0] }),
    ...(constant !== undefined && { enum: [constant] }),
  }
}

/** A tuple becomes a list whose items may be any of its items. */
function listsOf({ prefixItems, items, ...rest }: JsonSchema): JsonSchema {
  if (Array.isArray(prefixItems)) {
    const rests = items === undefined || items === true ? [{}] : items === false ? [] : [items]
    const length = items === false && rest.maxItems === undefined ? { maxItems: prefixItems.length } : {}
    return { ...rest, ...length, items: { anyOf: [...prefixItems, ...rests] } }
  }
  if (items === undefined) return rest
  return { ...rest, items: items === true ? {} : items === false ? { not: {} } : items }
}

function boundsOf({ exclusiveMinimum, exclusiveMaximum, ...rest }: JsonSchema): JsonSchema {
  return {
    ...rest,
    ...(typeof exclusiveMinimum === 'number' && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(typeof exclusiveMaximum === 'number' && { maximum: exclusiveMaximum, exclusiveMaximum: true }),
  }
}

function typesOf({ type, ...rest }: JsonSchema): JsonSchema {
  if (type === undefined) return rest
  const types = [type].flat()
  const others = types.filter((one) => one !== 'null')
  const [only] = others
  if (only === undefined) return { ...rest, ...NULL }
  if (others.length === 1) {
    return { type: only, ...(only === 'array' && { items: {} }), ...rest, ...(types.length > 1 && { nullable: true }) }
  }
  const choice = [
    ...others.map((one) => (one === 'array' ? { type: one, items: {} } : { type: one })),
    ...(types.length > others.length ? [NULL] : []),
  ]
  return 'anyOf' in rest || 'allOf' in rest
    ? { ...rest, allOf: [...(Array.isArray(rest.allOf) ? rest.allOf : []), { anyOf: choice }] }
    : { ...rest, anyOf: choice }
}

/** OpenAPI 3.0 ignores the keywords beside a `$ref`. */
function refAlone(schema: JsonSchema): JsonSchema {
  const { $ref, ...rest } = schema
  if ($ref === undefined || Object.keys(rest).length === 0) return schema
  return { ...rest, allOf: [...(Array.isArray(rest.allOf) ? rest.allOf : []), { $ref }] }
}
