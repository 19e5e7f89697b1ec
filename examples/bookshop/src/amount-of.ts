/** How much so many books cost, in cents that are counted: `amountOf(3, '18.50')` is `'55.50'`. */
export function amountOf(quantity: number, price: string): string {
  const cents = Math.round(Number(price) * 100) * quantity
  return (cents / 100).toFixed(2)
}
