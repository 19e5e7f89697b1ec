/** An ISBN for the n-th book of a publisher, with its check digit; no such publisher was ever given that prefix. */
export function isbnOf(publisher: number, book: number): string {
  const digits = `97919${String(publisher).padStart(3, '0')}${String(book).padStart(4, '0')}`
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}
