import { type SchemaOptions, type TString, type TUnsafe, Type } from '@sinclair/typebox'

/** One of a few words: JSON Schema's `enum`, which reads better in an API reference than a union of literals. */
export function oneOf<const Word extends string>(words: readonly Word[], options: SchemaOptions = {}): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: 'string', enum: words, ...options })
}

/** An amount of money, kept digit by digit: a decimal string, never a floating point number. */
export function money(options: SchemaOptions = {}): TString {
  return Type.String({ format: 'decimal', pattern: '^[0-9]+\\.[0-9]{2}$', examples: ['18.50'], ...options })
}

/** A short text that may not be empty. */
export function shortText(options: SchemaOptions = {}): TString {
  return Type.String({ minLength: 1, maxLength: 200, ...options })
}
